'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { createRandom } = require('../../scripts/generate/random');
const { startService } = require('./app');
const { request } = require('./http');
const { beginExport, linesOf } = require('./exports');
const { createLoaded, generateFiles } = require('./loaded-writer');
const { writeRandomly } = require('./random-writes');

/** @typedef {Awaited<ReturnType<typeof createLoaded>>} Loaded */

const SEARCHES = [
  '',
  'q=jacket',
  'q=shirt&in_stock=true',
  'on_sale=true',
  'min_price=100',
  'q=new',
  'size=M&sort=price',
];
const FACETS = 'facets=category,price,size,on_sale,in_stock,feature&facet_values=500&count=1000';

/** Times of replies, which alone may differ. @param {string} text */
const withoutTimes = (text) => text.replace(/"(created_at|updated_at)":"[^"]+"/g, '"$1":""');

/** The replies of a worker of its own, as of the last commit, without times. @param {Loaded} loaded */
async function repliesOf({ client, apiDsn }) {
  const { rows } = await client.query("SELECT era || '.' || seq AS cursor FROM catalog_log.head");
  const [{ cursor }] = rows;
  const app = await startService({ DATABASE_URL: apiDsn });
  const headers = { 'Catalog-Min-Cursor': cursor };
  /** @param {string} target @returns {Promise<string>} */
  const read = async (target) => {
    const { status, body } = await request(app.url, { path: target, headers });
    const text = Buffer.from(body, 'latin1').toString();
    return status === 200 ? withoutTimes(text) : Promise.reject(new Error(`${target}: ${status} ${text}`));
  };
  /** @param {string} view */
  const exported = async (view) =>
    linesOf(await (await beginExport(app.url, `view=${view}`, headers)).rest()).lines.map(withoutTimes);
  try {
    const full = await exported('full');
    /** @type {Record<string, string>} */
    const documents = {};
    for (const { id } of full.map((line) => JSON.parse(line)))
      for (const tail of ['', '/styles', '/related']) documents[`${id}${tail}`] = await read(`/products/${id}${tail}`);
    const searches = SEARCHES.map(async (query) => {
      const { total, facets, items } = JSON.parse(await read(`/search?${query}&${FACETS}`));
      const sorted = query.includes('sort')
        ? items
        : items.toSorted((/** @type {any} */ a, /** @type {any} */ b) => a.id - b.id);
      return { query, total, facets, items: sorted };
    });
    const pages = [await read('/products?count=20000'), await read('/products?page=2&count=7&include=offer')];
    return { pages, full, cards: await exported('card'), documents, searches: await Promise.all(searches) };
  } finally {
    await app.close();
  }
}

/**
 * Two databases: one with random writes of content and stock, and an export of it that is loaded again, and elsewhere.
 * @param {{ products: number, writes: number, seed: number }} options
 */
async function exportAndLoad({ products, writes, seed }) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'exported-'));
  const [files, exported] = ['files', 'exported'].map((name) => path.join(dir, name));
  const [here, elsewhere] = [await createLoaded(), await createLoaded()];
  try {
    await generateFiles(files, products);
    await succeed(here, 'load', files);
    await write(here, { writes, seed });
    const before = await repliesOf(here);
    await succeed(here, 'export', exported);
    const manifest = JSON.parse(fs.readFileSync(path.join(exported, 'manifest.json'), 'utf8'));
    const said = [
      await succeed(elsewhere, 'load', exported),
      await succeed(here, 'load', exported, '--as-of', manifest.cursor),
    ];
    const { rows } = await here.client.query('SELECT count(*)::int AS repairs FROM catalog_meta.repairs');
    return { before, here: await repliesOf(here), elsewhere: await repliesOf(elsewhere), manifest, said, ...rows[0] };
  } finally {
    await Promise.all([here.drop(), elsewhere.drop()]);
    fs.rmSync(dir, { recursive: true });
  }
}

/** @param {Loaded} loaded @param {string[]} words of the loader @returns {Promise<string>} what it said */
async function succeed(loaded, ...words) {
  const { status, said } = await loaded.load(...words);
  if (status !== 0) throw new Error(`${words.join(' ')}: ${said}`);
  return said;
}

/** @param {Loaded} loaded @param {{ writes: number, seed: number }} options */
async function write(loaded, { writes, seed }) {
  const below = createRandom(seed);
  const call = await loaded.serve();
  const ids = async (/** @type {string} */ query) => (await loaded.client.query(query)).rows.map(({ id }) => id);
  for (let round = 0; round < 4; round += 1) {
    const known = await ids('SELECT id FROM catalog.products WHERE id NOT IN (1, 7) ORDER BY id LIMIT 40');
    await writeRandomly({ call, below, ids: known, writes: writes / 4, callers: 1, kept: 7, name: `export-${round}` });
    const skus = await ids('SELECT id FROM catalog.skus ORDER BY id');
    for (let left = writes / 40; left > 0; left -= 1)
      await loaded.stock({ sku: skus[below(skus.length)], amount: below(9) - 6, adjusts: below(2) === 0 });
  }
}

module.exports = { exportAndLoad, repliesOf };
