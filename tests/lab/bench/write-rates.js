'use strict';
const fs = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const { createRandom, shuffled } = require('../../../scripts/generate/random');
const { processTicks, processTree, readOrNothing, ticksPerSecond } = require('../../../scripts/lib/proc');
const { idsOf, pathsFile } = require('./dataset');
const { bodyOf, interleave, rowOf, wrk } = require('./measure');
const { startWorker, startWriter } = require('./own-stack');
const { startBurning } = require('./pinned');
const { request, sendWrites } = require('./write-load');
const { untilApplied } = require('./written-stock');
/** @import { Dataset } from './dataset' */
/** @import { Target } from './write-load' */
/** @typedef {Awaited<ReturnType<typeof import('./written-stock').stockOf>>} Stock */
/** @typedef {{ rounds: number, seconds: number, say: (line: string) => void }} Options */

const [hotIds, stockRate, requestSize] = [1000, 5000, 100];
const loggers = 8;
/** A program that has just started compiles itself for a while. */
const settleSeconds = 3;

/** @param {string} name @param {number} index @returns {object} a product with three styles of five skus */
function newProduct(name, index) {
  const names = (/** @type {number} */ count) => Array.from({ length: count }, (_, at) => `new-${at}`);
  const photo = (/** @type {number} */ at) => {
    const url = `https://images.example.com/${index}/${at}.jpg`;
    return { url, thumbnail_url: url };
  };
  const style = (/** @type {string} */ key) => ({
    ...{ name: `Style ${key}`, original_price: '140.00', sale_price: null, 'default?': key === 'new-0' },
    photos: [1, 2, 3].map(photo),
    skus: Object.fromEntries(names(5).map((sku) => [`${key}${sku}`, { size: sku.slice(4), quantity: 8 }])),
  });
  return {
    ...{ name: `${name} ${index}`, slogan: 'Made to be counted', description: 'A product of a benchmark.' },
    ...{
      category: 'Benchmarks',
      default_price: '140.00',
      related: [],
      features: [{ feature: 'Fabric', value: 'Canvas' }],
    },
    styles: Object.fromEntries(names(3).map((key) => [key, style(key)])),
  };
}

/** Products in one bulk request. @param {Target} writer @param {number} count @param {string} name @returns {Promise<number>} products a second */
async function bulkRate(writer, count, name) {
  const lines = Array.from({ length: count }, (_, index) => ({ op: 'create', body: newProduct(name, index) }));
  const headers = { 'Content-Type': 'application/x-ndjson', 'Idempotency-Key': name };
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const startedMs = performance.now();
  const reply = await request(writer, { method: 'POST', path: '/bulk', headers, body });
  const seconds = (performance.now() - startedMs) / 1000;
  const { done, failed } = JSON.parse(reply.body.trimEnd().split('\n').at(-1) ?? '{}');
  if (!done || failed > 0) throw new Error(`/bulk answers ${reply.status}: ${reply.body.slice(0, 300)}`);
  return count / seconds;
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

/**
 * Kills a server in the middle of writes. @param {Target & Pick<import('./pinned').Server, 'kill'>} server @param {Stock} stock @param {number} seconds
 */
async function killDuring(server, stock, seconds) {
  const sending = sendWrites(server, { connections: loggers, seconds, rate: stockRate / requestSize }, () =>
    stock.many(requestSize),
  );
  await sleep((seconds * 1000) / 2); // anywhere in a flush
  await Promise.all([server.kill(), sending]);
}

/** @param {number[]} pids @returns {number} seconds of CPU that they and their children have used */
const cpuSeconds = (pids) =>
  pids.flatMap(processTree).reduce((sum, pid) => sum + (processTicks(readOrNothing(`/proc/${pid}/stat`)) || 0), 0) /
  ticksPerSecond;

/**
 * Hot styles of one worker: without a writer, with an idle one, beside updates of stock, and beside a load of the CPU that takes as much.
 * @param {Dataset} dataset @param {Stock} stock @param {Options} options
 */
async function hotReads(dataset, stock, { rounds, seconds, say }) {
  const worker = await startWorker(dataset);
  const ids = shuffled(await idsOf(dataset), createRandom(1)).slice(0, hotIds);
  const paths = pathsFile(dataset.dir, 'hot', ids.map((id) => `/products/${id}/styles`)); // prettier-ignore
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
      const options = { connections: loggers, seconds, rate: stockRate / requestSize };
      const [read, written] = await Promise.all([reads(), sendWrites(writer, options, () => stock.many(requestSize))]);
      cores = (cpuSeconds(pids) - before) / written.elapsed;
      await untilApplied(dataset).finally(writer.stop);
      return { ...read, errors: read.errors + written.errors };
    },
    'the same CPU burnt': async () => {
      const stops = await Promise.all([1, 2].map(() => startBurning(cores / 2, dataset.log)));
      return settled().finally(() => Promise.all(stops.map((stop) => stop())));
    },
  };
  const results = await interleave(measurements, rounds, (line) => say(`hot styles, ${line}`));
  await worker.stop();
  return Object.entries(results).map(([what, runs]) => rowOf('hot styles', what, runs));
}

module.exports = { bulkRate, hotReads, killDuring, loggedRate, requestSize, singleRate };
