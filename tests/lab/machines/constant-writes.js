'use strict';
const { setTimeout: pause } = require('node:timers/promises');
const { waitUntil } = require('../../../scripts/lib/wait-until');

/*
 * Writes through a balancer, run on the client's side: `node constant-writes.js URL KEY [MS]`; prints a line of JSON each second. Each client has a
 * product and a sku of its own. It adds 1 to the quantity and changes the slogan in turn, and repeats what was not answered with the same
 * key, as a 503 says. At the end (SIGTERM) the last line compares the catalog with what was acknowledged.
 */

const [base, secret, appliedMs = '30000'] = process.argv.slice(2);
const clients = 4;
const timeoutMs = 5_000;
const betweenMs = 100;
const givenUpMs = 120_000;
/** These do not say that a write was done, or refused for good. */
const unknown = new Set([0, 409, 503]);

/** @typedef {{ product: number, sku: number, quantity: number, revision: number, added: number, reasons: string[] }} Own */

// The certificate names the public host, and this asks an address of ours.
process.removeAllListeners('warning');
process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';

const run = Date.now();
const counts = { acknowledged: 0, repeated: 0, pauseMs: 0 };
/** @type {string[]} */
const failures = [];
let [lastMs, stopping] = [performance.now(), false];

/** @param {string} method @param {string} path @param {object} [body] @param {string} [id] */
async function send(method, path, body, id = '') {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const own = body && { 'Content-Type': type, 'Idempotency-Key': id, 'X-Reason': id };
  const headers = { Authorization: `Bearer ${secret}`, ...own };
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const reply = await fetch(base + path, { method, headers, body: JSON.stringify(body), signal });
    return { status: reply.status, body: await reply.json() };
  } catch (error) {
    return { status: 0, body: String(error) };
  }
}

/** @param {Parameters<typeof send>} request @returns {Promise<any>} the first final answer; null: refused */
async function insist(...request) {
  for (const startMs = performance.now(); ; counts.repeated += 1) {
    const { status, body } = await send(...request);
    if (status >= 200 && status < 300) return body;
    const problem = `${request.slice(0, 2).join(' ')}: ${status} ${JSON.stringify(body)}`;
    if (!unknown.has(status)) return (failures.push(problem), null);
    if (performance.now() - startMs > givenUpMs) throw new Error(`no final answer: ${problem}`);
    await pause(betweenMs);
  }
}

/** @param {Parameters<typeof send>} request @returns {Promise<boolean>} whether it was acknowledged */
async function write(...request) {
  if (!(await insist(...request))) return false;
  counts.acknowledged += 1;
  counts.pauseMs = Math.max(counts.pauseMs, performance.now() - lastMs);
  lastMs = performance.now();
  return true;
}

/** @param {number} product */
async function skuOf(product) {
  const { styles } = await insist('GET', `/products/${product}/stock`);
  return styles.flatMap((/** @type {{ skus: { sku: number, quantity: number }[] }} */ style) => style.skus)[0];
}

/** @param {number} product @param {number} [after] @returns {Promise<{ revision: number, reason: string }[]>} the newest first */
async function revisionsOf(product, after = 0) {
  const all = [];
  for (let before = ''; ;) {
    const page = await insist('GET', `/products/${product}/revisions?limit=200${before}`);
    all.push(...page.revisions.filter((/** @type {{ revision: number }} */ { revision }) => revision > after));
    if (!page.before || page.before <= after) return all;
    before = `&before=${page.before}`;
  }
}

/** @param {number} product @returns {Promise<Own | null>} null: it has nothing in stock */
async function ownOf(product) {
  const found = await skuOf(product);
  if (!found) return null;
  // A product that no request has changed has no revisions.
  await insist('PATCH', `/products/${product}`, { slogan: `${run}` }, `${run}-${product}`);
  const [{ revision }] = await revisionsOf(product);
  return { product, ...found, revision, added: 0, reasons: [] };
}

/** @param {Own} own */
async function writeOn(own) {
  for (let number = 0; !stopping; number += 1) {
    const id = `${run}-${own.product}-${number}`;
    if (await write('POST', '/stock', { adjust: [[own.sku, 1]] }, `${id}-stock`)) own.added += 1;
    if (await write('PATCH', `/products/${own.product}`, { slogan: id }, id)) own.reasons.push(id);
    await pause(betweenMs);
  }
}

/** @param {Own} own @returns {Promise<number[]>} how many are lost, and doubled */
async function compare({ product, quantity, revision, added, reasons }) {
  let more = 0;
  await waitUntil(async () => (more = (await skuOf(product)).quantity - quantity - added) === 0, Number(appliedMs));
  const seen = (await revisionsOf(product, revision)).map(({ reason }) => reason);
  const missing = reasons.filter((id) => !seen.includes(id)).length;
  return [Math.max(0, -more) + missing, Math.max(0, more) + seen.length - new Set(seen).size];
}

async function main() {
  /** @type {Own[]} */
  const owners = [];
  for (let product = 1; owners.length < clients; product += 1) {
    const own = await ownOf(product);
    if (own) owners.push(own);
  }
  process.once('SIGTERM', () => (stopping = true));
  const progress = setInterval(() => console.log(JSON.stringify(counts)), 1000);
  lastMs = performance.now();
  await Promise.all(owners.map(writeOn));
  counts.pauseMs = Math.max(counts.pauseMs, performance.now() - lastMs);
  const compared = await Promise.all(owners.map(compare));
  clearInterval(progress);
  const [lost, doubled] = [0, 1].map((at) => compared.reduce((sum, each) => sum + each[at], 0));
  process.stdout.write(`${JSON.stringify({ ...counts, lost, doubled, failures })}\n`, () => process.exit(0));
}

main();
