'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { generateSample, loadCatalog } = require('../../scripts/lib/commands');
const { withClient } = require('../../scripts/local/roles');
const { runTool } = require('../../scripts/lib/run');
const { python } = require('../../scripts/lib/runtime');
const { waitUntil } = require('../../scripts/lib/wait-until');
const { request } = require('../helpers/http');
const { startStack } = require('../helpers/stack');

/** From the contract: nginx serves old data at most this long after a worker did. */
const oldForMs = 2000;
/** Between two requests, so that the loader gets its share of the machine. */
const pauseMs = 5;
const searches = [
  '/catalog',
  '/suggest?q=ja&count=5',
  '/search?q=jackte&count=5&facets=category,price',
  '/search?category=Jackets&in_stock=true&sort=-price&count=3&facets=size',
];
const paths = [
  '/products?count=20',
  '/products/1',
  '/products/1/styles',
  '/products/1/related',
  '/products?count=20&include=offer',
  '/products/1?include=offer,styles,related',
  '/products?ids=2,1&include=styles',
  '/skus/1',
  '/skus?ids=3,1,2&include=card',
  ...searches,
];

/** @type {import('../helpers/stack').Stack} */
let stack;
/** @type {string} */
let loaderDsn;

beforeAll(async () => {
  stack = await startStack();
  ({ loaderDsn } = JSON.parse(fs.readFileSync(path.join(stack.state, 'stack.json'), 'utf8')));
}, 120_000);
afterAll(() => stack?.stop(), 60_000);

/** @param {string[]} command */
async function loader(command) {
  const env = { ...process.env, LOADER_DATABASE_URL: loaderDsn };
  expect(await runTool(command, { env, keepOutput: true })).toMatchObject({ status: 0 });
}

/** @param {string} seed @returns {Promise<string>} a folder of CSVs */
async function generated(seed) {
  const data = path.join(path.dirname(stack.state), `seed-${seed}`);
  const command = [...generateSample(data, 300), '--seed', seed];
  expect(await runTool(command, { keepOutput: true })).toMatchObject({ status: 0 });
  return data;
}

/**
 * @typedef {{ path: string, status: number, body: string, sentMs: number, gotMs: number }} Reply
 * @typedef {object} Change
 * @property {number} atMs from then on this may be served
 * @property {number} everywhereMs from then on no worker serves older data: a commit waits for the disk before it is notified
 * @property {Map<string, string>} bodies the body of each path
 */

/** @param {string} path @returns {Promise<Reply>} */
async function ask(path) {
  const sentMs = Date.now();
  const { status, body } = await request(stack.url, { path }).catch((error) => ({
    status: 0,
    body: error.message,
  }));
  return { path, status, body, sentMs, gotMs: Date.now() };
}

/** @returns {{ stop: () => Promise<Reply[]> }} requests every path repeatedly */
function askEverything() {
  let stopping = false;
  /** @type {Reply[]} */
  const replies = [];
  const lanes = paths.map(async (path) => {
    while (!stopping) {
      replies.push(await ask(path));
      await sleep(pauseMs);
    }
  });
  return {
    stop: async () => {
      stopping = true;
      await Promise.all(lanes);
      return replies;
    },
  };
}

/** @returns {Promise<string[]>} the data version of each worker */
function workerVersions() {
  const first = stack.ports['admin-port'];
  return Promise.all(
    [first, first + 1].map(async (port) => {
      const reply = await fetch(`http://127.0.0.1:${port}/readyz`);
      return (await reply.json()).version;
    }),
  );
}

/**
 * Waits until the data of the last commit must be served everywhere, and requests it.
 * @returns {Promise<Change>}
 */
async function settled() {
  const { atMs, version } = await withClient(loaderDsn, async (client) => {
    const { rows } = await client.query(
      'SELECT extract(epoch FROM changed_at)::float * 1000 AS "atMs", version FROM catalog_meta.data_version',
    );
    return rows[0];
  });
  await waitUntil(async () => (await workerVersions()).every((each) => each.startsWith(`${version}-`)), 30_000);
  const everywhereMs = Date.now();
  await sleep(oldForMs);
  const replies = await Promise.all(paths.map(ask));
  return { atMs, everywhereMs, bodies: new Map(replies.map(({ path, body }) => [path, body])) };
}

/**
 * @param {Reply} reply @param {Change[]} changes in order
 * @returns {boolean} whether some data that could still be served had exactly this body
 */
function isInTime({ path, body, sentMs, gotMs }, changes) {
  return changes.some(
    (change, index) =>
      change.bodies.get(path) === body &&
      gotMs >= change.atMs &&
      sentMs <= (changes[index + 1]?.everywhereMs ?? Infinity) + oldForMs,
  );
}

test('a swap and an unswap under traffic fail no request and mix no data', async () => {
  const data = await generated('5');
  const changes = [{ ...(await settled()), atMs: 0 }];
  const traffic = askEverything();
  await loader([...loadCatalog(data, path.join(path.dirname(stack.state), 'rejects')), '--campus', 'campus-1']);
  changes.push(await settled());
  expect(changes[1].bodies.get('/products/1')).toContain('"campus":"campus-1"');
  for (const path of searches) expect(changes[1].bodies.get(path)).not.toBe(changes[0].bodies.get(path));
  await loader([python, '-m', 'etl', 'unswap']);
  changes.push(await settled());
  expect(changes[2].bodies).toEqual(changes[0].bodies);

  const replies = await traffic.stop();
  expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
  expect(replies.filter((reply) => !isInTime(reply, changes))).toEqual([]);
  const seen = new Set(replies.map(({ body }) => body));
  for (const { bodies } of changes) expect(seen).toContain(bodies.get('/products/1'));
}, 120_000);
