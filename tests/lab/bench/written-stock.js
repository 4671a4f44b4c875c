'use strict';
const { createRandom, shuffled } = require('../../../scripts/generate/random');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { withClient } = require('../../../scripts/local/roles');
/** @import { Dataset } from './dataset' */
/** @import { Write } from './write-load' */

/** Above all quantities of a generated catalog. Each update has a higher one than those before it. */
const firstQuantity = 1_000_000;
const sampleSize = 1_000_000;
const skusAProduct = 11;
const applyMs = 600_000;
const logged = { Prefer: 'respond-async' };

/** Updates of quantities of random skus, and which of them were acknowledged. */
class StockUpdates {
  #skus;
  #sent = 0;
  /** @type {Map<number, number>} */
  #acknowledged = new Map();

  /** @param {number[]} skus */
  constructor(skus) {
    this.#skus = shuffled(skus, createRandom(1));
  }

  /** @param {number} count @returns {[sku: number, quantity: number][]} */
  #next(count) {
    const from = this.#sent;
    this.#sent += count;
    return Array.from({ length: count }, (_, index) => [
      this.#skus[(from + index) % this.#skus.length],
      firstQuantity + from + index,
    ]);
  }

  /** @param {number} count of updates in one request @param {Record<string, string>} [headers] @returns {Write} */
  many(count, headers = logged) {
    const set = this.#next(count);
    const acknowledged = () => set.forEach(([sku, quantity]) => this.#acknowledged.set(sku, quantity));
    const body = JSON.stringify({ set, compare: 'none' });
    return { method: 'POST', path: '/stock', headers, body, count, acknowledged };
  }

  /** @returns {Write} one update, answered when it is applied */
  one() {
    const [[sku, quantity]] = this.#next(1);
    const acknowledged = () => void this.#acknowledged.set(sku, quantity);
    const body = JSON.stringify({ quantity, compare: 'none' });
    return { method: 'PUT', path: `/skus/${sku}/quantity`, body, count: 1, acknowledged };
  }

  /** @param {Dataset} dataset @param {string} table @returns {Promise<number>} acknowledged updates that the table lacks */
  lostIn({ postgres }, table) {
    const values = [[...this.#acknowledged.keys()], [...this.#acknowledged.values()]];
    const sql = `SELECT count(*)::int AS lost FROM unnest($1::int[], $2::int[]) AS sent (id, quantity)
      JOIN ${table} AS kept USING (id) WHERE kept.quantity < sent.quantity`;
    return withClient(
      postgres.superuserDsn('catalog'),
      async (client) => (await client.query(sql, values)).rows[0].lost,
    );
  }
}

/** @param {Dataset} dataset */
async function stockOf({ postgres, products }) {
  const percent = Math.min(100, (100 * sampleSize) / (skusAProduct * products));
  const sql = `SELECT array_agg(id) AS ids FROM catalog.skus TABLESAMPLE BERNOULLI (${percent}) REPEATABLE (1)`;
  const [{ ids }] = await withClient(postgres.dsn('loader'), async (client) => (await client.query(sql)).rows);
  return new StockUpdates(ids);
}

/** Waits until all that is logged is applied. @param {Dataset} dataset */
async function untilApplied({ postgres }) {
  const sql = 'SELECT (SELECT pos FROM catalog_log.stock_head) = (SELECT pos FROM catalog_log.stock_applied) AS done';
  await withClient(postgres.dsn('writer'), async (client) => {
    const applied = await waitUntil(async () => (await client.query(sql)).rows[0].done, applyMs);
    if (!applied) throw new Error('the log of stock is not applied');
  });
}

module.exports = { stockOf, untilApplied };
