'use strict';

const { createRandom } = require('../../../scripts/generate/random');
const { parseStored } = require('../../../server/writer/content/exact');
const { merge } = require('../../../server/writer/content/merge');
const { patchBetween } = require('../../../server/writer/content/paths');
const { fromStored, ordered } = require('../../../server/writer/content/shape');
const { createCatalog, sql } = require('../../helpers/database');
const { DECLARED_ROWS, LONG } = require('../../helpers/declared');
const { makers } = require('../../helpers/random-writes');

/** @type {import('../../helpers/database').TestCatalog} */
let catalog;
beforeAll(async () => (catalog = await createCatalog(DECLARED_ROWS)));
afterAll(() => catalog?.drop());

/** @param {any} ours @param {any} before @param {any} after @returns {Promise<{ made: any, lost: string[] }>} */
async function replay(ours, before, after) {
  const { rows } = await catalog.client.query(
    'SELECT catalog_log.replay($1, $2, $3) AS made, ARRAY(SELECT catalog_log.not_replayed($1, $2, $3)) AS lost',
    [ours, before, after].map((value) => value && JSON.stringify(value)),
  );
  return rows[0];
}

test('replaying a write onto another content does what its merge patch does', async () => {
  const below = createRandom(20261126);
  const { product, other } = makers(below);
  const plain = (/** @type {any} */ value) => ordered(JSON.parse(JSON.stringify(value)));
  for (let round = 0; round < 300; round += 1) {
    const before = plain(product());
    const after = plain(other(before));
    const ours = { ...before, name: `of file ${round}`, default_price: '7.00', features: [] };
    const { made, lost } = await replay(ours, before, after);
    expect([round, lost]).toEqual([round, []]);
    expect(ordered(made)).toEqual(ordered(merge(ours, patchBetween(before, after))));
  }
});

const SKU = { size: 'S' };
const STYLE = { name: 'Red', photos: [], skus: { 1: SKU } };
const CONTENT = { name: 'A', features: [1], styles: { 5: STYLE } };

test.each([
  [
    'a field',
    { ...CONTENT, features: [9] },
    CONTENT,
    { ...CONTENT, name: 'B' },
    { ...CONTENT, features: [9], name: 'B' },
    [],
  ],
  [
    'a whole list',
    { ...CONTENT, features: [9, 9] },
    CONTENT,
    { ...CONTENT, features: [2] },
    { ...CONTENT, features: [2] },
    [],
  ],
  [
    'a style that is gone',
    { ...CONTENT, styles: {} },
    CONTENT,
    { ...CONTENT, styles: { 5: { ...STYLE, name: 'Blue' } } },
    { ...CONTENT, styles: {} },
    ['/styles/5'],
  ],
  [
    'a sku that is gone',
    { ...CONTENT, styles: { 5: { ...STYLE, skus: {} } } },
    CONTENT,
    { ...CONTENT, styles: { 5: { ...STYLE, skus: { 1: { size: 'M' } } } } },
    { ...CONTENT, styles: { 5: { ...STYLE, skus: {} } } },
    ['/styles/5/skus/1'],
  ],
  [
    'the removal of what is gone',
    { ...CONTENT, styles: {} },
    CONTENT,
    { ...CONTENT, styles: {} },
    { ...CONTENT, styles: {} },
    [],
  ],
  [
    'a new style',
    CONTENT,
    CONTENT,
    { ...CONTENT, styles: { 5: STYLE, 6: STYLE } },
    { ...CONTENT, styles: { 5: STYLE, 6: STYLE } },
    [],
  ],
  ['what both have made', CONTENT, null, { ...CONTENT, name: 'B' }, CONTENT, []],
  ['a new product', null, null, CONTENT, CONTENT, []],
  ['a deletion', CONTENT, CONTENT, null, null, []],
  ['a product that is gone', null, CONTENT, { ...CONTENT, name: 'B' }, null, ['']],
])('a replay of %s', async (_, ours, before, after, made, lost) => {
  expect(await replay(ours, before, after)).toEqual({ made, lost });
});

test('contents are made of rows as the writer reads them from replies', async () => {
  const made = await catalog.client.query(
    `SELECT id, content::text FROM (${sql('replay/content.sql', 'catalog').replaceAll('{wanted}', '> 0')}) AS made ORDER BY id`,
  );
  const stored = await catalog.client.query(sql('writes/read_products.sql', 'catalog') + ' ORDER BY id', [
    [1, 2, 4, 5, 7],
  ]);
  const contents = made.rows.map(({ content }) => ordered(parseStored(content)));
  expect(contents[0]).toMatchObject({ fields: { brand: 'Acme', weight_g: `\0${LONG}` } });
  expect(contents).toEqual(stored.rows.map((row) => fromStored(row).content));
});
