'use strict';
const fs = require('node:fs');
const http = require('node:http');
const { isDeepStrictEqual } = require('node:util');
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
 * @param {Server} worker @param {string} dsn @param {Query[]} queries @param {string} file of the search that PostgreSQL answers alone
 * @param {number} count of replies
 */
const compareReplies = (worker, dsn, queries, file, count) =>
  withClient(dsn, async (client) => {
    const text = fs.readFileSync(file, 'utf8').split('\\gset')[1].replace('rank DESC', 'price');
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

module.exports = { compareReplies, pageRatio };
