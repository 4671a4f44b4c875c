'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { processTicks, processTree, readOrNothing, ticksPerSecond } = require('../../../scripts/lib/proc');
const { runOrThrow } = require('../../../scripts/lib/run');
const { binaries } = require('../../../scripts/lib/runtime');
const { idsOf, openDataset, randomPaths } = require('./dataset');
const { bodyOf, median, rowsOf, runPgbench, wrk } = require('./measure');
const { interrupted } = require('./running');
const { startBurning, startWorker, startWriteBack, startWriter } = require('./own-servers');
const { newProduct, request, sendWrites, stockOf, untilApplied } = require('./write-traffic');
/** @import { Dataset } from './dataset' */
/** @import { Options, Part } from './report' */
/** @import { Stock, Target } from './write-traffic' */

const [direct, bulkProducts, hotIds] = [64, 2000, 1000];
/** Logged stock: connections, updates of a request, and updates a second beside reads. */
const [loggers, requestSize, stockRate] = [8, 100, 5000];
/** Products of the catalog with which the rate of applying is compared. */
const smallShare = 0.01;
/** A program that has just started compiles itself for a while. */
const settleSeconds = 3;

/** Products in one bulk request. @param {Target} writer @param {string} name @returns {Promise<{ rps: number }>} products a second */
async function bulkRate(writer, name) {
  const lines = Array.from({ length: bulkProducts }, (_, index) => ({ op: 'create', body: newProduct(name, index) }));
  const headers = { 'Content-Type': 'application/x-ndjson', 'Idempotency-Key': name };
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const startedMs = performance.now();
  const reply = await request(writer, { method: 'POST', path: '/bulk', headers, body });
  const seconds = (performance.now() - startedMs) / 1000;
  const { done, failed } = JSON.parse(reply.body.trimEnd().split('\n').at(-1) ?? '{}');
  if (!done || failed > 0) throw new Error(`/bulk answers ${reply.status}: ${reply.body.slice(0, 300)}`);
  return { rps: bulkProducts / seconds };
}

/** Products one after the other. @param {Target} writer @param {number} seconds @param {string} name */
function singleRate(writer, seconds, name) {
  let index = 0;
  return sendWrites(writer, { connections: 1, seconds }, () => {
    const headers = { 'Idempotency-Key': `${name}-${(index += 1)}` };
    return { method: 'POST', path: '/products', headers, body: JSON.stringify(newProduct(name, index)), count: 1 };
  });
}

/** Stock logged in requests of 100, until all is applied. @param {Target} writer @param {Dataset} dataset @param {Stock} stock @param {number} seconds */
async function loggedRate(writer, dataset, stock, seconds) {
  const startedMs = performance.now();
  const sent = await sendWrites(writer, { connections: loggers, seconds }, () => stock.many(requestSize));
  await untilApplied(dataset);
  return { ...sent, appliedRps: (1000 * sent.acknowledged) / (performance.now() - startedMs) };
}

/** Rates beside pgbench, in turn. @param {Dataset} dataset @param {Stock} stock @param {Omit<Options, 'products'>} options */
async function measureRates(dataset, stock, options) {
  const { seconds, say } = options;
  const dsn = dataset.postgres.superuserDsn('catalog');
  say('tables of pgbench');
  const make = [path.join(binaries().postgresBin, 'pgbench'), '--initialize', '--quiet', '--scale', '50', dsn];
  await runOrThrow(make, {}, { keepOutput: true, signal: interrupted });
  const [writer, peer] = [await startWriter(dataset), await startWriteBack(dataset)];
  let calls = 0;
  /** @type {number[]} */
  const applied = [];
  const measurements = {
    'pgbench simple-update': () => runPgbench(dsn, ['--builtin', 'simple-update', '--client', '32'], seconds),
    [`stock, direct, ${direct} connections`]: () =>
      sendWrites(writer, { connections: direct, seconds }, () => stock.one()),
    [`stock, logged in requests of ${requestSize}`]: async () => {
      const { appliedRps, ...sent } = await loggedRate(writer, dataset, stock, seconds);
      applied.push(appliedRps);
      return sent;
    },
    'write-back that acknowledges from memory': () =>
      sendWrites(peer, { connections: loggers, seconds }, () => stock.many(requestSize)),
    'products in bulk': () => bulkRate(writer, `bulk-${(calls += 1)}`),
    'products one by one': () => singleRate(writer, seconds, `single-${(calls += 1)}`),
  };
  const rows = await rowsOf('write', measurements, options);
  await Promise.all([writer.stop(), peer.stop()]);
  return { rows, applied: median(applied) };
}

/** The rate at which a catalog applies its log. @param {number} products @param {Omit<Options, 'products'>} options */
async function appliedRate(products, { rounds, seconds, say }) {
  say(`${products} products`);
  const dataset = await openDataset(products, { toWrite: true });
  const [writer, stock] = [await startWriter(dataset), await stockOf(dataset)];
  const runs = [];
  for (let round = 0; round < rounds; round += 1) runs.push(await loggedRate(writer, dataset, stock, seconds));
  await writer.stop();
  return median(runs.map(({ appliedRps }) => appliedRps));
}

/** @param {number[]} pids @returns {number} seconds of CPU that they and their children have used */
const cpuSeconds = (pids) =>
  pids.flatMap(processTree).reduce((sum, pid) => sum + (processTicks(readOrNothing(`/proc/${pid}/stat`)) || 0), 0) /
  ticksPerSecond;

/**
 * Hot styles of one worker: without a writer, with an idle one, beside updates of stock, and beside a load of the CPU that takes as much.
 * @param {Dataset} dataset @param {Stock} stock @param {Omit<Options, 'products'>} options
 */
async function hotReads(dataset, stock, options) {
  const { seconds } = options;
  const worker = await startWorker(dataset);
  const paths = randomPaths(dataset, await idsOf(dataset), { count: hotIds, tail: '/styles', name: 'hot' });
  for (const target of fs.readFileSync(paths, 'utf8').trimEnd().split('\n')) await bodyOf(worker, target);
  const reads = () => wrk({ port: worker.port, paths, seconds });
  const settled = async () => {
    await wrk({ port: worker.port, paths, seconds: settleSeconds });
    return reads();
  };
  let cores = 0;
  const measurements = {
    'no writer': settled,
    'an idle writer': async () => {
      const writer = await startWriter(dataset);
      return settled().finally(writer.stop);
    },
    [`${stockRate} updates of stock a second`]: async () => {
      const writer = await startWriter(dataset);
      const pids = [writer.pid, dataset.postgres.pid];
      const before = cpuSeconds(pids);
      const order = { connections: loggers, seconds, rate: stockRate / requestSize };
      const [read, written] = await Promise.all([reads(), sendWrites(writer, order, () => stock.many(requestSize))]);
      cores = (cpuSeconds(pids) - before) / written.elapsed;
      await untilApplied(dataset).finally(writer.stop);
      return { ...read, errors: read.errors + written.errors };
    },
    'the same CPU burnt': async () => {
      const stops = await Promise.all([1, 2].map(() => startBurning(cores / 2, dataset.log)));
      return settled().finally(() => Promise.all(stops.map((stop) => stop())));
    },
  };
  return rowsOf('hot styles', measurements, options).finally(worker.stop);
}

/**
 * Writes against pgbench, against the write-back of the article and against one at a time, and what they cost reads. What a kill -9
 * loses is judged by tests/server/writer.
 * @param {Options} options @returns {Promise<Part>}
 */
async function writes({ products, ...options }) {
  const dataset = await openDataset(products, { toWrite: true });
  const stock = await stockOf(dataset);
  const { rows, applied } = await measureRates(dataset, stock, options);
  const [pgbench, singles, logged, , bulk, byOne] = rows.map(({ rps = NaN }) => rps);
  const reads = await hotReads(dataset, stock, options);
  const [without, idle, beside, burnt] = reads.map(({ rps = NaN }) => rps);
  const smallCatalog = Math.ceil(products * smallShare);
  const small = await appliedRate(smallCatalog, options);
  const ofApplied = [
    { route: 'write', what: 'stock, logged and applied', rps: applied },
    { route: 'write', what: `the same, ${smallCatalog} products`, rps: small },
  ];
  return {
    rows: [...rows, ...ofApplied, ...reads],
    targets: [
      { what: 'direct stock / pgbench', atLeast: 0.5, is: singles / pgbench },
      { what: 'logged stock / pgbench', atLeast: 5, is: logged / pgbench },
      { what: 'products in bulk / one by one', atLeast: 4, is: bulk / byOne },
      { what: 'hot reads with an idle writer / without', atLeast: 0.98, is: idle / without },
      { what: 'hot reads beside updates / the same CPU burnt', atLeast: 0.95, is: beside / burnt },
    ],
  };
}

module.exports = { writes };
