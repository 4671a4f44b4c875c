'use strict';
const http = require('node:http');
const { isDeepStrictEqual } = require('node:util');
const { createRandom } = require('../generate/random');
const { shuffled } = require('../lib/shuffled');
const { withClient } = require('../local/roles');
const { createProxyThread } = require('../testbed/proxy');
const { bodyOf, median } = require('./measure');
const { register } = require('./running');
/** @import { Server } from './pinned' */
/** @typedef {{ words: string, category: string, path: string }} Query `words`: as to_tsquery reads them; `path` of the search */

/** With fewer products than this typos count, too, which SQL does not know. */
const enoughForNoTypos = 24;
const [latencyMs, browserConnections, relatedProducts] = [40, 6, 8];

/** @param {{ name: string, values: { value: string, count: number }[] }} facet @returns {[value: string, count: number][]} */
const valuesOf = ({ name, values }) =>
  name === 'price' ? [] : values.map(({ value, count }) => [`${name}=${value}`, count]);

/**
 * Compares total, facets and the first page by price with SQL.
 * @param {Server} worker @param {string} dsn @param {Query[]} queries @param {string} sql of the search that PostgreSQL answers alone
 * @param {number} count of replies
 */
const compareReplies = (worker, dsn, queries, sql, count) =>
  withClient(dsn, async (client) => {
    const text = sql.split('\\gset')[1].replace('rank DESC', 'price');
    const compared = { replies: 0, wrong: /** @type {string[]} */ ([]) };
    for (const { words, category, path } of queries) {
      const filled = text
        .replaceAll(':words', client.escapeLiteral(words))
        .replace(':category', client.escapeLiteral(category));
      const { total, items, facets } = (await client.query(filled)).rows[0];
      if (compared.replies === count) break;
      if (total < enoughForNoTypos) continue;
      compared.replies += 1;
      const reply = JSON.parse(await bodyOf(worker, `${path}&sort=price&facet_values=500`));
      const counts = reply.facets.map(valuesOf).flat();
      const known = Object.entries(facets).filter(([value]) => !/^price=|=false$/.test(value));
      const same = isDeepStrictEqual(
        [reply.total, reply.items, Object.fromEntries(counts)],
        [total, items, Object.fromEntries(known)],
      );
      if (!same) compared.wrong.push(path);
    }
    return compared;
  });

/** @param {string} word @param {(bound: number) => number} below @returns {string} with a letter less, more or other, or two swapped */
function typoOf(word, below) {
  const at = below(word.length - 1);
  const [start, left, right, end] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 2)];
  const letter = String.fromCharCode(97 + below(26));
  return start + [right, letter + left + right, letter + right, right + left][below(4)] + end;
}

/**
 * Searches words of names with a typo each, unless a word begins so, or too few letters are left for a repair.
 * @param {Server} worker @param {string} dsn @param {number} count
 * @returns {Promise<number>} percent of them whose word is among those that matched
 */
async function percentFound(worker, dsn, count) {
  const sql = "SELECT convert_from(body, 'UTF8') AS lines FROM catalog.search_blobs WHERE name = 'words'";
  const [{ lines }] = (await withClient(dsn, (client) => client.query(sql))).rows;
  const words = /** @type {string[]} */ (lines.trimEnd().split('\n')).map((line) => line.split('\t'));
  const spelled = new Set(words.flatMap(([word]) => Array.from(word, (_, at) => word.slice(0, at + 1))));
  const below = createRandom(1);
  const typos = shuffled(words, below)
    .filter(([word, products]) => products !== '0' && /^[a-z]{5,}$/.test(word))
    .map(([word]) => ({ word, typo: typoOf(word, below) }))
    .filter(({ typo }) => typo.length >= 5 && !spelled.has(typo))
    .slice(0, count);
  let found = 0;
  for (const { word, typo } of typos) {
    const { query } = JSON.parse(await bodyOf(worker, `/search?count=0&q=${typo}`));
    if (query.words.some((/** @type {{ as: string[] }} */ { as }) => as.includes(word))) found += 1;
  }
  return (100 * found) / typos.length;
}

/** @param {Server} worker @param {string[]} batches paths @returns {Promise<number>} how many differ from the single replies */
async function wrongBatches(worker, batches) {
  let wrong = 0;
  for (const batch of batches) {
    const bodies = [];
    for (const [id] of batch.matchAll(/\d+/g)) bodies.push(await bodyOf(worker, `/products/${id}`));
    if ((await bodyOf(worker, batch)) !== `[${bodies}]`) wrong += 1;
  }
  return wrong;
}

/**
 * The time of a product page with eight related products in one call ÷ that of its calls, by a browser far away.
 * @param {Server} worker @param {string} dsn @param {number} pages
 */
async function pageRatio(worker, dsn, pages) {
  const sql =
    'SELECT product_id FROM catalog.related GROUP BY 1 HAVING count(DISTINCT related_product_id) = $1 LIMIT $2';
  const { rows } = await withClient(dsn, (client) => client.query(sql, [relatedProducts, pages]));
  const proxy = await createProxyThread({ host: '127.0.0.1', port: worker.port });
  register(async () => void (await proxy.close()));
  proxy.set({ delayMs: latencyMs / 2 }); // each way
  const agent = new http.Agent({ keepAlive: true, maxSockets: browserConnections });
  const read = (/** @type {string} */ tail) => bodyOf(proxy, `/products/${tail}`, agent);
  const inOne = (/** @type {number} */ id) => read(`${id}?include=offer,styles,related`);
  const inCalls = async (/** @type {number} */ id) => {
    await read(`${id}`);
    const [related] = await Promise.all([read(`${id}/related`), read(`${id}/styles`)]);
    await Promise.all([...new Set(JSON.parse(related))].map((other) => read(`${other}`)));
  };
  const medianMs = async (/** @type {(id: number) => Promise<unknown>} */ page) => {
    const times = [];
    for (const { product_id } of rows) {
      const startedMs = performance.now();
      await page(product_id);
      times.push(performance.now() - startedMs);
    }
    return median(times);
  };
  return (await medianMs(inOne)) / (await medianMs(inCalls));
}

module.exports = { compareReplies, pageRatio, percentFound, typoOf, wrongBatches };
