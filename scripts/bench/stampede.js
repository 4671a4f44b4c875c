'use strict';
const { once } = require('node:events');
const net = require('node:net');
const path = require('node:path');
const { Redis } = require('ioredis');
const { startCache, startWorker } = require('./contestants');
const { startOurNginx } = require('./nginxes');
const { idsOf, openDataset } = require('./dataset');
/** @import { Contestant } from './contestants' */

const callers = 1000;
const bars = { queriesPerWorker: 1, errors: 0, alignedPercent: 2 };

/** @param {{ adminPort: number }} worker @returns {Promise<number>} reads that the database answered so far */
async function queriesOf({ adminPort }) {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  return Number(/^catalog_reads_total\{tier="database"\} (\d+)/m.exec(text)?.[1] ?? 0);
}

/** @param {net.Socket} socket open, nothing written yet @param {string} target @returns {Promise<boolean>} answered 200 */
async function ask(socket, target) {
  let head = '';
  socket.on('data', (bytes) => (head ||= bytes.toString('latin1')));
  socket.write(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
  await once(socket, 'end');
  return head.startsWith('HTTP/1.1 200');
}

/**
 * All connections are open before the first request is written, so that they come at one moment.
 * @param {number} port @param {string} target
 * @returns {Promise<number>} replies other than 200
 */
async function stampedeOn(port, target) {
  const sockets = Array.from({ length: callers }, () => net.connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const replies = await Promise.allSettled(sockets.map((socket) => ask(socket, target)));
  for (const socket of sockets) socket.destroy();
  return replies.filter((reply) => reply.status === 'rejected' || !reply.value).length;
}

/**
 * @param {Contestant} front @param {{ adminPort: number }[]} workers behind it
 * @param {string[]} targets one a round, each never asked before
 * @returns {Promise<{ queries: number, errors: number }>} of the worst round; `queries` of the worker that made most
 */
async function worstOf(front, workers, targets) {
  const worst = { queries: 0, errors: 0 };
  for (const target of targets) {
    const before = await Promise.all(workers.map(queriesOf));
    worst.errors = Math.max(worst.errors, await stampedeOn(front.port, target));
    const after = await Promise.all(workers.map(queriesOf));
    worst.queries = Math.max(worst.queries, ...after.map((count, worker) => count - before[worker]));
  }
  return worst;
}

/**
 * Replies that came into Redis at one moment: the most of them that leave it in the same second.
 * @param {Contestant} worker @param {string} redisUrl @param {number[]} ids never asked before
 * @returns {Promise<number>} per cent
 */
async function alignedExpiry(worker, redisUrl, ids) {
  const ask = (/** @type {number} */ id) => fetch(`http://127.0.0.1:${worker.port}/products/${id}`);
  await Promise.all(ids.map(async (id) => (await ask(id)).arrayBuffer()));
  const redis = new Redis(redisUrl.replace('unix://', ''));
  const keys = await redis.keys('*');
  const secondsLeft = await Promise.all(keys.map((key) => redis.ttl(key)));
  redis.disconnect();
  /** @type {Map<number, number>} */
  const together = new Map();
  for (const seconds of secondsLeft) together.set(seconds, (together.get(seconds) ?? 0) + 1);
  return (Math.max(...together.values()) / keys.length) * 100;
}

/**
 * 1,000 callers at once of a reply that no cache holds: how many of them reach the database; and whether what was cached
 * together expires together.
 * @param {{ products: number, rounds: number, say: (line: string) => void }} options
 * @returns {Promise<import('./bars').Part>}
 */
async function stampede({ products, rounds, say }) {
  const dataset = await openDataset(products);
  const log = path.join(dataset.dir, 'bench.log');
  const dsn = dataset.postgres.dsn('api');
  const lonely = await startWorker({ dsn, log });
  const redisUrl = await startCache(dataset.dir, 'ours');
  const workers = [await startWorker({ dsn, redisUrl, log }), await startWorker({ dsn, redisUrl, log, cpu: '1' })];
  const nginx = await startOurNginx({ dir: dataset.dir, workers, cpu: '0,1' });
  const ids = await idsOf(dataset);
  const step = Math.floor(ids.length / (rounds * 2 + 1)) || 1;
  /** @type {Record<string, (index: number) => string>} */
  const routes = {
    list: (index) => `/products?page=${index + 2}&count=7`,
    product: (index) => `/products/${ids[index * step]}`,
    styles: (index) => `/products/${ids[index * step]}/styles`,
    related: (index) => `/products/${ids[index * step]}/related`,
  };
  /** @type {import('./bars').Part} */
  const part = { name: 'stampede', rows: [], bars: [] };
  for (const [route, target] of Object.entries(routes)) {
    say(`${route}, ${callers} callers`);
    const targets = Array.from({ length: rounds * 2 }, (_, index) => target(index));
    const alone = await worstOf(lonely, [lonely], targets.slice(0, rounds));
    const both = await worstOf(nginx, workers, targets.slice(rounds));
    part.rows.push(
      { route, what: 'one worker without Redis', ...alone },
      { route, what: 'two workers with Redis, through nginx', ...both },
    );
    // No query at all would mean that the worker's counter was not found.
    const queries = Math.max(alone.queries, both.queries) || NaN;
    const atMost = bars.queriesPerWorker;
    part.bars.push(
      { what: `queries per worker, ${callers} callers`, route, atMost, is: queries },
      { what: 'errors', route, atMost: bars.errors, is: alone.errors + both.errors },
    );
  }
  part.bars.push({
    what: 'replies cached at one moment that expire in the same second, %',
    atMost: bars.alignedPercent,
    is: await alignedExpiry(workers[0], redisUrl, ids.slice(-callers)),
  });
  return part;
}

module.exports = { stampede };
