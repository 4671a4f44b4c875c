'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { makeCertificate } = require('../helpers/certificate');
const { startNginx } = require('../../scripts/local/nginx');
const { startService } = require('../helpers/app');
const { closeAgents, kept, parse, readCorpus, receive, writeCorpus } = require('../helpers/corpus');
const { sendBytes } = require('../helpers/http');
const { loadSample } = require('../helpers/sample');
const { freePort, redisUrl } = require('../helpers/servers');
const { groups, raw } = require('./corpus-requests');

/** @typedef {import('../helpers/corpus').Reply} Reply */

const file = path.join(__dirname, 'corpus.json');
const updates = Boolean(process.env.TEST_UPDATE_CORPUS);
const products = 300;

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'corpus-'));
fs.chmodSync(dir, 0o711); // nginx's own workers, "nobody" when we are root, pass through it
/** @type {Awaited<ReturnType<typeof loadSample>>} */
let database;
/** @type {Awaited<ReturnType<typeof startService>>} */
let app;
/** @type {Awaited<ReturnType<typeof startService>>} */
let withoutDatabase;
/** @type {Awaited<ReturnType<typeof startNginx>>[]} */
const nginxes = [];
const urls = { worker: '', nginx: '', https: '', 'worker without a database': '', 'nginx without a worker': '' };
/** @typedef {keyof typeof urls} Place */

beforeAll(async () => {
  database = await loadSample(dir, products);
  app = await startService({ DATABASE_URL: database.dsn('api'), REDIS_URL: redisUrl() });
  withoutDatabase = await startService({ DATABASE_URL: 'postgres://x@127.0.0.1:1/x', READY_WAIT_MS: 0 });
  const made = makeCertificate(dir);
  if (!made) throw new Error('openssl is missing');
  const port = await freePort(4);
  const tls = { certificate: made.certFile, key: made.keyFile, port: port + 1 };
  nginxes.push(await startNginx({ dir: path.join(dir, 'one'), port, tls, workers: [new URL(app.url).host] }));
  const dead = [`127.0.0.1:${port + 3}`];
  nginxes.push(await startNginx({ dir: path.join(dir, 'two'), port: port + 2, workers: dead, rateLimit: 1 }));
  urls.worker = app.url;
  urls['worker without a database'] = withoutDatabase.url;
  urls.nginx = `http://127.0.0.1:${port}`;
  urls.https = `https://127.0.0.1:${port + 1}`;
  urls['nginx without a worker'] = `http://127.0.0.1:${port + 2}`;
}, 60_000);

afterAll(async () => {
  if (updates) writeCorpus(file, seen);
  closeAgents();
  for (const nginx of nginxes) await nginx.stop();
  await app?.close();
  await withoutDatabase?.close();
  await database?.drop();
  fs.rmSync(dir, { recursive: true });
});

/** @type {Map<string, string>} */
const etags = new Map();

/** @param {string} target @returns {Promise<string>} the ETag of the worker's plain reply, empty for none */
async function etagOf(target) {
  if (!etags.has(target)) {
    const { headers } = await receive(app.url, { path: target });
    etags.set(target, headers.find(([name]) => name === 'ETag')?.[1] ?? '');
  }
  return etags.get(target) ?? '';
}

const recorded = updates ? () => undefined : readCorpus(file);
/** @type {Map<string, Map<string, Reply>>} */
const seen = new Map();

/** @param {Place} place @param {Map<string, Reply>} replies by name */
function compare(place, replies) {
  if (updates) return void seen.set(place, new Map([...(seen.get(place) ?? []), ...replies]));
  const wanted = [...replies.keys()].map((name) => [name, recorded(place, name)]);
  expect(Object.fromEntries(replies)).toEqual(Object.fromEntries(wanted));
}

/** @param {Place} place @param {import('./corpus-requests').Asked[]} all */
async function askAll(place, all) {
  /** @type {Map<string, Reply>} */
  const replies = new Map();
  for (const asked of all) {
    const headers = Object.entries(asked.headers ?? {}).map(async ([name, value]) => [
      name,
      value.includes('{etag}') ? value.replace('{etag}', (await etagOf(asked.path)) || '"none"') : value,
    ]);
    const request = { ...asked, headers: Object.fromEntries(await Promise.all(headers)) };
    replies.set(asked.name, await kept(await receive(urls[place], request), asked.path, etagOf));
  }
  return replies;
}

describe.each(/** @type {const} */ (['worker', 'nginx']))('replies are as recorded, through the %s', (place) => {
  test.each(Object.keys(groups))('%s', async (group) => compare(place, await askAll(place, groups[group])));

  test('bytes that no client library sends', async () => {
    const port = Number(new URL(urls[place]).port);
    /** @type {Map<string, Reply>} */
    const replies = new Map();
    for (const [name, bytes] of raw) replies.set(name, await kept(parse(await sendBytes(port, bytes)), '', etagOf));
    compare(place, replies);
  });
});

test('replies over HTTPS are as recorded', async () => {
  const paths = ['/products', '/products/1', '/products/x', '/.problem/overloaded', `/products?x=${'a'.repeat(9500)}`];
  const all = paths.map((target) => ({ name: `GET ${target.slice(0, 40)}`, path: target }));
  compare('https', await askAll('https', all));
});

test('refusals of a worker without a database are as recorded', async () => {
  const all = ['/products', '/products/1', '/products/1/styles', '/products/1/related', '/products/x', '/nowhere'];
  const place = 'worker without a database';
  compare(
    place,
    await askAll(
      place,
      all.map((target) => ({ name: `GET ${target}`, path: target })),
    ),
  );
});

test('refusals of nginx without a worker, and then of too many requests, are as recorded', async () => {
  const place = 'nginx without a worker';
  const replies = await askAll(place, [{ name: 'GET /products/1', path: '/products/1' }]);
  // The limit is one a second: a slow machine may let a few pass.
  for (let round = 0; round < 20; round += 1) {
    const reply = (await askAll(place, [{ name: 'too often', path: '/products/1' }])).get('too often');
    if (reply) replies.set('too often', reply);
    if (reply?.head[0] === '429') break;
  }
  compare(place, replies);
});

if (!updates)
  test('every recorded request is sent', () => {
    const asked = [
      ...Object.values(groups)
        .flat()
        .map(({ name }) => name),
      ...raw.map(([name]) => name),
    ];
    const { replies } = JSON.parse(fs.readFileSync(file, 'utf8'));
    for (const place of ['worker', 'nginx']) expect(new Set(Object.keys(replies[place]))).toEqual(new Set(asked));
  });
