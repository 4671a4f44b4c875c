'use strict';
const http = require('node:http');
const { setTimeout: sleep } = require('node:timers/promises');
const { quantile } = require('../lib/quantile');

/*
 * Open-model load: requests start at their time whether or not earlier ones were answered, so a server that stalls
 * cannot slow down those who ask, and the time of each counts from when it was due. `node generator.js URL RATE`; a line
 * of JSON five times a second, and one at the end (SIGTERM).
 */

const [base, rateText] = process.argv.slice(2);
const perSecond = Number(rateText);
const tickMs = 5;
const requestTimeoutMs = 10_000;
const agent = new http.Agent({ keepAlive: true, maxSockets: 512 });

/** @type {number[]} milliseconds, of every answer */
const times = [];
/** @type {string[]} the first of them say enough */
const failures = [];
/** Refused with 503 are among the failed. */
const count = { sent: 0, failed: 0, refused: 0, unsent: 0 };
let inFlight = 0;
const mostInFlight = 2000;

/** @param {string} path @returns {Promise<{ status: number, body: string }>} */
function get(path) {
  return new Promise((resolve, reject) => {
    const request = http.get(base + path, { agent, timeout: requestTimeoutMs }, (response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    });
    request.on('timeout', () => request.destroy(new Error(`no answer in ${requestTimeoutMs} ms`)));
    request.on('error', reject);
  });
}

/** @param {string} path @param {number} dueMs */
async function ask(path, dueMs) {
  if (inFlight >= mostInFlight) {
    count.unsent += 1; // as bad as a failure: the load would no longer be what it says
    return;
  }
  inFlight += 1;
  count.sent += 1;
  const problem = await get(path).then(
    ({ status, body }) => {
      if (status === 503) count.refused += 1;
      return status === 200 ? '' : `${status} ${body.slice(0, 200)}`;
    },
    (error) => error.message,
  );
  times.push(performance.now() - dueMs);
  inFlight -= 1;
  if (!problem) return;
  count.failed += 1;
  if (failures.length < 20) failures.push(`${new Date().toISOString()} ${path}: ${problem}`);
}

function report() {
  const sorted = Float64Array.from(times).sort();
  const at = (/** @type {number} */ share) => Math.round(quantile(sorted, share) * 10) / 10;
  const slow = sorted.filter((ms) => ms > 300).length;
  return { ...count, p99: at(0.99), max: at(1), slow, failures };
}

async function main() {
  const { body } = await get('/products?count=20000');
  /** @type {number[]} */
  const ids = JSON.parse(body).map((/** @type {{ id: number }} */ product) => product.id);
  const tails = ['', '/styles', '/related'];
  const pick = (/** @type {any[]} */ list) => list[Math.floor(Math.random() * list.length)];
  const path = () => (Math.random() < 0.05 ? `/products?after=${pick(ids)}` : `/products/${pick(ids)}${pick(tails)}`);
  const startMs = performance.now();
  let planned = 0;
  const arrivals = setInterval(() => {
    const due = ((performance.now() - startMs) / 1000) * perSecond;
    for (; planned < due; planned += 1) ask(path(), startMs + (planned * 1000) / perSecond);
  }, tickMs);
  const progress = setInterval(() => console.log(JSON.stringify({ sent: count.sent })), 200);
  process.once('SIGTERM', async () => {
    clearInterval(arrivals);
    while (inFlight > 0) await sleep(20);
    clearInterval(progress);
    process.stdout.write(`${JSON.stringify(report())}\n`, () => process.exit(0));
  });
}

main();
