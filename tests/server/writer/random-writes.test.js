'use strict';

const { createRandom } = require('../../../scripts/generate/random');
const { patchBetween, changedPaths } = require('../../../server/writer/content/paths');
const { merge } = require('../../../server/writer/content/merge');
const { ordered } = require('../../../server/writer/content/shape');
const { failedChecks, serveWriter } = require('../../helpers/writer');

const served = serveWriter();
const SEED = 20261126;
const WRITES = 300;
const CALLERS = 8;

/** @param {(bound: number) => number} below */
function makers(below) {
  const text = () => ['', 'a', '"\\', 'ü – ', '\u{1f45f}', 'long '.repeat(40)][below(6)] + below(100);
  const price = () => `${below(300)}${['', '.5', '.25', '.125'][below(4)]}`;
  const list = (/** @type {number} */ max, /** @type {() => any} */ make) => Array.from({ length: below(max) }, make);
  const photo = () => ({ thumbnail_url: `https://x/${below(9)}`, url: `http://x/${below(9)}` });
  const feature = () => ({ feature: text(), value: below(3) ? text() : null });
  const skus = () =>
    Object.fromEntries(
      list(4, () => [`new-${below(50)}`, { size: ['S', 'M', '7.5', text()][below(4)], quantity: below(3) }]),
    );
  const style = () => ({
    ...{ name: text(), original_price: price(), 'default?': below(2) === 0, photos: list(4, photo), skus: skus() },
    sale_price: below(2) ? price() : null,
  });
  const fields = () => ({
    name: text(),
    slogan: text(),
    description: text(),
    category: text(),
    default_price: price(),
  });
  const product = () => ({
    ...fields(),
    ...{ features: list(4, feature), related: [1, 7].slice(0, below(3)), styles: { new: style() } },
  });

  /** @param {any} content changes some of its styles */
  function otherStyles(content) {
    const styles = { ...content.styles };
    for (const [id, own] of Object.entries(styles)) {
      const kind = below(5);
      if (kind === 0) delete styles[id];
      else if (kind === 1) styles[id] = { ...own, sale_price: price(), photos: own.photos.toReversed() };
      else if (kind === 2) styles[id] = { ...own, skus: { ...own.skus, new: { size: text() } } };
      else if (kind === 3) styles[id] = { ...own, skus: Object.fromEntries(Object.entries(own.skus).slice(1)) };
    }
    return below(3) ? styles : { ...styles, new: style() };
  }

  /** @param {any} content @returns {any} */
  const other = (content) => ({
    ...content,
    ...(below(2) && { name: text(), default_price: price() }),
    ...(below(3) === 0 && { features: list(5, feature) }),
    ...(below(3) === 0 && { related: content.related.toReversed() }),
    styles: below(2) ? otherStyles(content) : content.styles,
  });
  return { product, other };
}

/** @param {any} product */
const contentOf = ({ id, campus, created_at, updated_at, ...content }) => content;

test(`after ${WRITES} random writes (seed ${SEED}), every document equals its rows, and every revision what was written`, async () => {
  const below = createRandom(SEED);
  const { product, other } = makers(below);
  /** @type {Map<number, { body: any, revision: number }>} the last acknowledged state of each product; 1 and 7 are never deleted */
  const known = new Map();
  for (const id of [1, 2, 4, 5, 7])
    known.set(id, { body: (await served.call('GET', `/products/${id}`)).body, revision: 0 });
  /** @type {Set<number>} products with a write under way */
  const busy = new Set();
  let [left, refused] = [WRITES, 0];

  /** @param {number} id @param {Awaited<ReturnType<typeof served.call>>} reply */
  const note = (id, { status, headers, body }) => {
    const revision = Number(headers.get('catalog-revision'));
    if (status === 204) known.delete(id);
    else if (status < 300) known.set(id, { body, revision });
    else refused += 1;
  };
  async function caller() {
    while ((left -= 1) >= 0) {
      const kind = below(10);
      const free = [...known.keys()].filter((id) => !busy.has(id));
      const id = free[below(free.length)];
      if (kind < 2 || id === undefined) {
        const made = await served.call('POST', '/products', product(), { 'Idempotency-Key': `random-${left}` });
        note(made.body.id, made);
        continue;
      }
      busy.add(id);
      const content = contentOf(known.get(id)?.body);
      if (kind === 2 && id > 7)
        note(id, await served.call('DELETE', `/products/${id}`, undefined, { 'If-Match': '*' }));
      else if (kind < 6) note(id, await served.call('PUT', `/products/${id}`, other(content), { 'If-Match': '*' }));
      else
        note(
          id,
          await served.call('PATCH', `/products/${id}`, patchBetween(content, other(content)), { 'If-Match': '*' }),
        );
      busy.delete(id);
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller));

  expect(refused).toBe(0);
  expect(await failedChecks(served.catalog.client)).toEqual([]);
  for (const [id, { body, revision }] of known) {
    expect((await served.call('GET', `/products/${id}`)).body).toEqual(body);
    if (revision === 0) continue;
    const kept = await served.call('GET', `/products/${id}/revisions/${revision}`);
    expect(kept.body.content).toEqual(contentOf(body));
  }
  const { rows } = await served.catalog.client.query(`
    SELECT array_agg(seq::int ORDER BY seq) = array_agg(row_number ORDER BY row_number) AS is_gapless, count(*)::int AS commits
    FROM (SELECT seq, (row_number() OVER (ORDER BY seq))::int FROM catalog_log.commits) AS numbered`);
  expect(rows[0].is_gapless).toBe(true);
  // Each write has stored its styles reply, so none is made from the rows at a read.
  const stale = await served.catalog.client.query('SELECT id FROM catalog.product_state WHERE built_seq < styles_seq');
  expect(stale.rows).toEqual([]);
  expect(rows[0].commits).toBeGreaterThan(WRITES / 10);
}, 120_000);

test('a merge patch between two contents makes the one of the other, and has the paths that differ', () => {
  const below = createRandom(SEED + 1);
  const { product, other } = makers(below);
  const plain = (/** @type {unknown} */ value) => JSON.parse(JSON.stringify(value));
  for (let round = 0; round < 300; round += 1) {
    const before = plain(product());
    const after = below(3) ? plain(other(before)) : plain(product());
    expect(ordered(merge(before, patchBetween(before, after)))).toEqual(ordered(after));
    expect(changedPaths(before, after).length === 0).toBe(JSON.stringify(before) === JSON.stringify(after));
  }
});
