'use strict';
const http = require('node:http');
const { once } = require('node:events');
const { text } = require('node:stream/consumers');
const { setTimeout: sleep } = require('node:timers/promises');
const { createRandom, shuffled } = require('../../../scripts/generate/random');
const { quantile } = require('../testbed/quantile');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { withClient } = require('../../../scripts/local/roles');
const { interrupted } = require('./running');
/** @import { Dataset } from './dataset' */

/** The pause that a 503 asks for. */
const retryMs = 1000;
/** Above all quantities of a generated catalog, so that each update changes its row. */
const firstQuantity = 1_000_000;
const sampleSize = 1_000_000;
const skusAProduct = 11;
const applyMs = 600_000;

/** One request with `count` operations. @typedef {{ method: string, path: string, headers?: Record<string, string>, body: string, count: number }} Write */
/** @typedef {{ port: number, key: string }} Target */

/**
 * @param {Target} target @param {Omit<Write, 'count'>} write @param {http.Agent} [agent]
 * @returns {Promise<{ status: number, body: string }>} @throws {Error} when the connection ends
 */
async function request({ port, key }, { method, path, headers, body }, agent) {
  const own = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers };
  const sent = http.request({ host: '127.0.0.1', port, method, path, agent, headers: own, signal: interrupted });
  sent.end(body);
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, body: await text(response) };
}

/**
 * Sends writes over kept connections: the next one when the last is answered, or at a constant rate.
 * @param {Target} target @param {{ connections: number, seconds: number, rate?: number }} options @param {() => Write} next
 */
async function sendWrites(target, { connections, seconds, rate = Infinity }, next) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1000;
  /** @type {number[]} */
  const latenciesMs = [];
  let [sent, acknowledged, errors] = [0, 0, 0];
  async function sendInTurn() {
    for (;;) {
      const dueMs = Math.max(startedMs + (sent / rate) * 1000, performance.now());
      sent += 1;
      if (dueMs >= endMs || interrupted.aborted) return;
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      const [write, beganMs] = [next(), performance.now()];
      const { status } = await request(target, write, agent).catch(() => ({ status: 0 }));
      latenciesMs.push(performance.now() - beganMs);
      if (status === 503) await sleep(retryMs);
      else if (status >= 200 && status < 300) acknowledged += write.count;
      else errors += 1;
    }
  }
  await Promise.all(Array.from({ length: connections }, sendInTurn));
  agent.destroy();
  const elapsed = (performance.now() - startedMs) / 1000;
  const p99Ms = quantile(Float64Array.from(latenciesMs).sort(), 0.99);
  return { acknowledged, errors, rps: acknowledged / elapsed, p99Ms, elapsed };
}

/** Updates of quantities of random skus. @typedef {{ many: (count: number) => Write, one: () => Write }} Stock */

/** @param {Dataset} dataset @returns {Promise<Stock>} */
async function stockOf({ postgres, products }) {
  const percent = Math.min(100, (100 * sampleSize) / (skusAProduct * products));
  const sql = `SELECT array_agg(id) AS ids FROM catalog.skus TABLESAMPLE BERNOULLI (${percent}) REPEATABLE (1)`;
  const [{ ids }] = await withClient(postgres.dsn('loader'), async (client) => (await client.query(sql)).rows);
  const skus = shuffled(ids, createRandom(1));
  let sent = 0;
  const next = () => [skus[(sent += 1) % skus.length], firstQuantity + sent];
  return {
    many(count) {
      const body = JSON.stringify({ set: Array.from({ length: count }, next), compare: 'none' });
      return { method: 'POST', path: '/stock', headers: { Prefer: 'respond-async' }, body, count };
    },
    /** Answered when it is applied. */
    one() {
      const [sku, quantity] = next();
      const body = JSON.stringify({ quantity, compare: 'none' });
      return { method: 'PUT', path: `/skus/${sku}/quantity`, body, count: 1 };
    },
  };
}

/** Waits until all that is logged is applied. @param {Dataset} dataset */
async function untilApplied({ postgres }) {
  const sql = 'SELECT (SELECT pos FROM catalog_log.stock_head) = (SELECT pos FROM catalog_log.stock_applied) AS done';
  await withClient(postgres.dsn('writer'), async (client) => {
    const applied = await waitUntil(async () => (await client.query(sql)).rows[0].done, applyMs);
    if (!applied) throw new Error('the log of stock is not applied');
  });
}

/** @param {string} name @param {number} index @returns {object} a product with three styles of five skus */
function newProduct(name, index) {
  const names = (/** @type {number} */ count) => Array.from({ length: count }, (_, at) => `new-${at}`);
  const url = (/** @type {number} */ at) => `https://images.example.com/${index}/${at}.jpg`;
  const style = (/** @type {string} */ key) => ({
    name: `Style ${key}`,
    original_price: '140.00',
    sale_price: null,
    'default?': key === 'new-0',
    photos: [1, 2, 3].map((at) => ({ url: url(at), thumbnail_url: url(at) })),
    skus: Object.fromEntries(names(5).map((sku) => [`${key}${sku}`, { size: sku.slice(4), quantity: 8 }])),
  });
  return {
    name: `${name} ${index}`,
    slogan: 'Made to be counted',
    description: 'A product of a benchmark.',
    category: 'Benchmarks',
    default_price: '140.00',
    related: [],
    features: [{ feature: 'Fabric', value: 'Canvas' }],
    styles: Object.fromEntries(names(3).map((key) => [key, style(key)])),
  };
}

module.exports = { newProduct, request, sendWrites, stockOf, untilApplied };
