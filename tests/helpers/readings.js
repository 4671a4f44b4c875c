'use strict';

const { requestJson } = require('./http');
const { beginExport, linesOf } = require('./exports');

/**
 * All that a worker says of products, by each of its routes, as of a commit.
 * @param {{ url: string }} app @param {string} cursor that each reply has at least
 */
function readerOf(app, cursor) {
  const headers = { 'Catalog-Min-Cursor': cursor };
  /** Searches may take longer to have the commit than a request waits for it. @param {string} path */
  async function get(path) {
    for (;;) {
      const reply = await requestJson(app.url, path, headers);
      if (reply.body.type !== 'urn:catalog:problem:not-yet') return reply;
    }
  }
  /** The slug of a problem, or the status. @param {string} path */
  const slug = async (path) => {
    const { status, body } = await get(path);
    return status === 200 ? 200 : body.type.split(':').at(-1);
  };
  /** Ids of all products in the order of an export. @param {string} view */
  const exported = async (view) => {
    const { lines } = linesOf(await (await beginExport(app.url, `view=${view}`, headers)).rest());
    return lines.map((line) => JSON.parse(line));
  };
  return { exported, get, slug };
}

/** @typedef {ReturnType<typeof readerOf>} Reader */

/** @param {any[]} all @param {(each: any) => string} keyOf @returns {Record<string, number>} how many have each key */
function countsBy(all, keyOf) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const each of all) counts[keyOf(each)] = (counts[keyOf(each)] ?? 0) + 1;
  return counts;
}

/** Ids of all products by pages after an id, which are full but for the last. @param {Reader} reader */
async function idsOfPages({ get }) {
  const count = 7;
  /** @type {number[]} */
  const ids = [];
  for (let after = 0; ;) {
    const { body } = await get(`/products?${after ? `after=${after}&` : ''}count=${count}`);
    ids.push(...body.map((/** @type {any} */ { id }) => id));
    if (body.length < count) return ids;
    after = body.at(-1).id;
  }
}

/**
 * Compares what a worker says with the rows of the catalog, less hidden products.
 * @param {{ url: string }} app
 * @param {{ client: import('pg').Client, cursor: string, hidden: ReadonlySet<number> }} expected
 * @returns {Promise<string[]>} names of replies that are wrong
 */
async function wrongIn(app, { client, cursor, hidden }) {
  const reader = readerOf(app, cursor);
  const { exported, get, slug } = reader;
  const rowsOf = async (/** @type {string} */ sql) => (await client.query({ text: sql, rowMode: 'array' })).rows;
  const names = new Map(
    /** @type {[number, string][]} */ (await rowsOf('SELECT id, name FROM catalog.products ORDER BY id')),
  );
  const related = await rowsOf(
    'SELECT product_id, related_product_id FROM catalog.related ORDER BY product_id, position',
  );
  const skus = await rowsOf(
    'SELECT skus.id, product_id FROM catalog.skus JOIN catalog.styles ON styles.id = style_id ORDER BY 1 LIMIT 500',
  );
  const shown = [...names.keys()].filter((id) => !hidden.has(id));
  /** @type {string[]} */
  const wrong = [];
  const compare = (/** @type {string} */ name, /** @type {unknown} */ found, /** @type {unknown} */ wanted) => {
    if (JSON.stringify(found) !== JSON.stringify(wanted))
      wrong.push(`${name}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
  };
  const idsOf = (/** @type {any[]} */ all) => all.map((each) => each.id ?? each);
  const list = await get('/products?count=20000');
  compare('list', idsOf(list.body), shown);
  compare('total', list.headers['x-total-count'], String(shown.length));
  compare('pages', await idsOfPages(reader), shown);
  for (const view of ['card', 'product', 'id']) compare(`export ${view}`, idsOf(await exported(view)), shown);
  const full = await exported('full');
  compare('export full', idsOf(full), shown);
  for (const { id, related_ids: listed } of full) {
    const own = related.filter(([from, to]) => from === id && !hidden.has(to)).map(([, to]) => to);
    compare(`related of ${id}`, listed, own);
  }
  const cards = (await get('/products?count=100&include=related')).body.flatMap(
    (/** @type {any} */ each) => each.related,
  );
  compare(
    'related cards',
    idsOf(cards).filter((id) => hidden.has(id)),
    [],
  );
  const all = [...names.keys()].slice(0, 500);
  const batch = (await get(`/products?ids=${all}`)).body.map((/** @type {any} */ each) => each?.id ?? null);
  compare(
    'ids',
    batch,
    all.map((id) => (hidden.has(id) ? null : id)),
  );
  const found = (await get(`/skus?ids=${skus.map(([id]) => id)}&include=card`)).body;
  compare(
    'skus',
    found.map((/** @type {any} */ each) => each?.product_id ?? null),
    skus.map(([, id]) => (hidden.has(id) ? null : id)),
  );
  const { total, facets, items } = (await get('/search?facets=category&facet_values=500&count=1000')).body;
  compare('search', [total, idsOf(items).sort((a, b) => a - b)], [shown.length, shown]);
  const counted = Object.fromEntries(facets[0].values.map((/** @type {any} */ { value, count }) => [value, count]));
  const wanted = countsBy(full, ({ category }) => category);
  compare('facets', Object.entries(counted).sort(), Object.entries(wanted).sort());
  for (const id of hidden) {
    for (const tail of ['', '/styles', '/related', '?include=offer'])
      compare(
        `${id}${tail}`,
        await slug(`/products/${id}${tail}`),
        names.has(id) ? 'hidden-product' : 'unknown-product',
      );
    const name = encodeURIComponent(names.get(id) ?? 'nothing');
    for (const path of [`/search?q=${name}&count=1000`, `/suggest?q=${name}`]) {
      const { body } = await get(path);
      const products = body.items ?? body.cards;
      compare(
        path,
        idsOf(products).filter((each) => hidden.has(each)),
        [],
      );
    }
  }
  return wrong;
}

module.exports = { readerOf, wrongIn };
