'use strict';

const { Client } = require('pg');

const { loadCatalog, prepareCatalog } = require('../../../scripts/lib/commands');
const { runOrThrow } = require('../../../scripts/lib/run');
const { startService, until } = require('../../helpers/app');
const { ask, expectExact } = require('../../helpers/exact-searches');
const { useFolder } = require('../../helpers/folder');
const { rowWritesOn } = require('../../helpers/row-writes');
const { filesOf } = require('../../helpers/search-fields');
const { randomProducts } = require('../../helpers/search-products');
const { createTestDatabase } = require('../../helpers/servers');

const NAMES = ['brand', 'weight_g', 'launched', 'vegan', 'tags', 'colour', 'width', 'gtin', 'packed'];
const FACETS = `facets=${NAMES.map((name) => `field.${name}`)},category&facet_values=500`;
const SEARCHES = [
  'field.brand=Acme&field.brand=acme',
  'field.vegan=false&in_stock=true',
  'field.weight_g=100..250.5',
  'field.weight_g=..0&field.weight_g=500..',
  'field.weight_g=99999999999999999999.999999999999999999',
  'field.rating=-1..7',
  'field.launched=2026-01-31',
  'field.launched=2026-01-31T09:30:00.5Z..2026-02-01T00:00Z',
  'field.width=7..8&field.colour=red',
  'field.packed=..2024-02-29',
  'field.tags=red&field.gtin=501',
  ...['field.weight_g', '-field.weight_g', 'field.launched', '-field.launched', '-field.rating'].map(
    (sort) => `sort=${sort}`,
  ),
  ...['acme', 'x100', 'dark gr', 'warm', '4006381333931', 'hidden', '-acme'].map((q) => `q=${q}`),
].map((query, at) => `/search?count=1000&${query}${at % 4 === 0 ? `&${FACETS}` : ''}`);

describe('declared fields of a load', () => {
  const { at, write: writeFile } = useFolder('fields', { shared: true });
  /** @type {Awaited<ReturnType<typeof createTestDatabase>>} */
  let database;
  /** @type {Awaited<ReturnType<typeof startService>>} */
  let app;
  /** @type {Client} */
  let client;
  /** @type {ReturnType<typeof rowWritesOn>} */
  let write;
  beforeAll(async () => {
    for (const [name, text] of Object.entries(filesOf(randomProducts(90, 8)))) writeFile(`csv/${name}`, text);
    database = await createTestDatabase();
    const env = { LOADER_DATABASE_URL: database.dsn('loader') };
    await runOrThrow(prepareCatalog(), env);
    await runOrThrow(loadCatalog(at('csv'), at('rejects')), env);
    app = await startService({ DATABASE_URL: database.dsn('api'), VERSION_POLL_MS: 50 });
    client = new Client({ connectionString: database.superuserDsn });
    await client.connect();
    write = rowWritesOn(client);
  }, 60_000);
  afterAll(async () => {
    await app?.close();
    await client?.end();
    await database?.drop();
  });

  /** @param {number[]} ids @param {string} sql */
  async function writeAndCompare(ids, sql) {
    const seq = await write(ids, sql);
    await until(async () => (await ask(app, '/search?count=0')).cursor === `1.${seq}`);
    await expectExact(client, app, { seq, searches: SEARCHES });
    return seq;
  }

  test('are found, counted and sorted as their rows say, also after writes', async () => {
    const { cursor, items } = await ask(app, '/search?count=4&sort=-field.weight_g');
    await expectExact(client, app, { seq: Number(cursor.slice(2)), searches: SEARCHES });
    const [first, second, third, fourth] = items.map((/** @type {{ id: number }} */ { id }) => id);
    const fields = '{"brand":"Acme","weight_g":0.000000000000000001,"launched":"2026-01-31","tags":["new one"]}';
    await writeAndCompare(
      [first, second, third],
      `UPDATE catalog.products SET fields = '${fields}' WHERE id = ${first};
       UPDATE catalog.products SET fields = '{}' WHERE id = ${second};
       UPDATE catalog.styles SET fields = '{"colour":"Mauve","width":7.5}' WHERE product_id = ${third};
       UPDATE catalog.skus SET fields = '{"gtin":"501","packed":"2026-03-01T10:00+02:00"}'
       FROM catalog.styles WHERE styles.id = style_id AND product_id = ${third}`,
    );
    const seq = await writeAndCompare(
      [second, fourth, 990_000],
      `DELETE FROM catalog.skus USING catalog.styles WHERE styles.id = style_id AND product_id = ${fourth};
       DELETE FROM catalog.styles WHERE product_id = ${fourth}; DELETE FROM catalog.features WHERE product_id = ${fourth};
       DELETE FROM catalog.products WHERE id = ${fourth};
       INSERT INTO catalog.products (id, name, slogan, description, category, default_price, fields)
       VALUES (990000, 'New', '', '', 'Hats', 1, '{"weight_g":100,"vegan":false}');
       UPDATE catalog.products SET fields = '${fields}' WHERE id = ${second}`,
    );
    const late = await startService({ DATABASE_URL: database.dsn('api') });
    try {
      await expectExact(client, late, { seq, searches: SEARCHES });
    } finally {
      await late.close();
    }
  }, 60_000);

  test.each([
    ['field.brnd=Acme', 'The load has no field "field.brnd": a filter may be only field.brand, field.weight_g'],
    ['field.brnd=Acme', 'Did you mean "field.brand"?'],
    ['field.note=x', 'fields.json of the load declares field.note without "facet": true'],
    ['facets=field.NAME', 'The load has no field "field.NAME"'],
    ['facets=field.rating', 'a facet may be only field.brand'],
    ['facets=field.colours', 'Did you mean "field.colour"?'],
    ['sort=field.brand', 'fields.json of the load declares field.brand without "sort": true'],
    ['sort=-field.wieght_g', 'Did you mean "field.weight_g"?'],
    [
      'field.weight_g=light',
      'field.weight_g must be a number, as 12.5, or a range of them, as 1..5, 1.. or ..5, and not "light"',
    ],
    ['field.launched=2026-02-30', 'field.launched must be a date, as 2026-01-31'],
  ])('%s is refused: %s', async (query, detail) => {
    const problem = await ask(app, `/search?${query}`);
    expect(problem).toMatchObject({ status: 400, detail: expect.stringContaining(detail) });
  });

  test('are listed by /catalog with their facets and sorts', async () => {
    const { fields, facets, sorts } = await ask(app, '/catalog');
    expect(fields).toContainEqual({ name: 'field.launched', of: 'products', type: 'date', facet: true, sort: true });
    expect(fields.map((/** @type {{ name: string }} */ { name }) => name)).not.toContain('field.note');
    expect(facets.map((/** @type {{ name: string }} */ { name }) => name)).toEqual(
      expect.arrayContaining(NAMES.map((name) => `field.${name}`)),
    );
    expect(sorts.slice(-6)).toEqual(
      ['field.weight_g', 'field.rating', 'field.launched'].flatMap((name) => [name, `-${name}`]),
    );
  });

  test('are parameters, facets and sorts of the description of the API', async () => {
    const { paths } = await ask(app, '/openapi.json');
    const parameters = paths['/search'].get.parameters;
    const named = (/** @type {string} */ name) => parameters.find((/** @type {any} */ each) => each.name === name);
    expect(named('field.NAME')).toBeUndefined();
    expect(named('field.vegan').schema.items).toEqual({ enum: ['true', 'false'] });
    expect(named('field.weight_g').description).toContain('100..500');
    expect(named('field.note')).toBeUndefined();
    expect(JSON.stringify(named('sort').schema)).toContain('"-field.rating"');
    expect(JSON.stringify(named('facets').schema)).toContain('"field.packed"');
  });
});
