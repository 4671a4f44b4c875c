'use strict';

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');

const { renderNginx } = require('../../nginx/render');
const { root } = require('../../scripts/lib/runtime');
const { serveCatalog, until } = require('../helpers/app');
const { idOf, manyProducts } = require('../helpers/database');
const { request } = require('../helpers/http');
const { runNginx } = require('../helpers/nginx');
const { SECRET, addHook } = require('../helpers/receiver');
const { freePort } = require('../helpers/servers');
const { callerOf, prepareWrites, startWriter } = require('../helpers/writer');

const readme = fs.readFileSync(path.join(root, 'nginx/README.md'), 'utf8');
const [, settings] = readme.match(/^```nginx\n(.*?)^```/ms) ?? [];
const PURGE_TOKEN = 'token of the CDN';
const ROUNDS = 3;

/** Forgets what has one of the keys, as Fastly's purge does. @param {string} cache the folder of an nginx that stands for the CDN */
function startPurge(cache) {
  const seen = { purges: 0, refused: 0 };
  const server = http.createServer((req, res) => {
    if (req.method !== 'POST' || req.headers['fastly-key'] !== PURGE_TOKEN) {
      seen.refused += 1;
      return res.writeHead(403).end();
    }
    const keys = String(req.headers['surrogate-key']).split(' ');
    for (const file of fs.globSync(path.join(cache, '*'))) {
      const text = fs.readFileSync(file, 'latin1');
      const [, own = ''] = /^Surrogate-Key: (.*)\r$/m.exec(text) ?? [];
      if (own.split(' ').some((key) => keys.includes(key))) fs.rmSync(file, { force: true });
    }
    seen.purges += 1;
    res.end();
  });
  return { server, seen };
}

describe('a CDN that nginx/purge-cdn.js purges', () => {
  // The CDN keeps replies for an hour: without a purge nothing new is seen.
  const served = serveCatalog(manyProducts(50), { CACHE_TAGS: 'on', CACHE_MAX_AGE_SECONDS: 3600 });
  const dirs = ['edge', 'origin'].map((name) => fs.mkdtempSync(path.join(os.tmpdir(), `${name}-`)));
  const cache = path.join(dirs[0], 'cache');
  const { server, seen } = startPurge(cache);
  /** @type {{ stop: () => Promise<unknown> }[]} */
  const started = [];
  /** @type {Awaited<ReturnType<typeof startWriter>>} */
  let writer;
  /** @type {ReturnType<typeof callerOf>} */
  let call;
  let [url, originUrl] = ['', ''];

  beforeAll(async () => {
    const [origin, edge, port] = [await freePort(), await freePort(), await freePort()];
    [url, originUrl] = [edge, origin].map((each) => `http://127.0.0.1:${each}`);
    const workers = [served.app.url.replace('http://', '')];
    const text = renderNginx({ port: origin, workers, work: dirs[1], logs: dirs[1], openFiles: 1024 });
    started.push(await runNginx(dirs[1], text));
    const cdn = `daemon off; pid nginx.pid; worker_processes 1; events {}
http {
  access_log off;
  proxy_cache_path ${cache} keys_zone=edge:1m use_temp_path=off;
  server {
    listen 127.0.0.1:${edge};
    location / { proxy_http_version 1.1; proxy_set_header Connection ""; proxy_pass http://127.0.0.1:${origin}; add_header X-Cache $upstream_cache_status; ${settings} }
  }
}`;
    started.push(await runNginx(dirs[0], cdn));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port: purgePort } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const own = { HOOK_SECRET: SECRET, PURGE_URL: `http://127.0.0.1:${purgePort}/`, PURGE_TOKEN, PORT: String(port) };
    const child = spawn(process.execPath, [path.join(root, 'nginx/purge-cdn.js')], { env: own, stdio: 'inherit' });
    started.push({ stop: () => (child.kill('SIGKILL'), once(child, 'close')) });
    const receiver = `http://127.0.0.1:${port}/`;
    await until(() =>
      fetch(receiver, { method: 'POST' }).then(
        ({ status }) => status === 500,
        () => false,
      ),
    );
    writer = await startWriter(served.catalog.writerDsn);
    call = callerOf(writer.url, await prepareWrites(served.catalog));
    await addHook(served.catalog.client, receiver);
  }, 60_000);
  afterAll(async () => {
    await writer?.close();
    for (const { stop } of started) await stop();
    server.close();
    for (const dir of dirs) fs.rmSync(dir, { recursive: true, force: true });
  });

  /** @param {string} target @param {string} name @param {number} sinceMs @returns {Promise<number>} after which it shows the name */
  async function shows(target, name, sinceMs) {
    await until(async () => String((await request(url + target)).body).includes(name));
    return performance.now() - sinceMs;
  }

  test('shows a write within 6 s, by lists within 7 s, while visitors refill it all the time', async () => {
    const [product, other] = [`/products/${idOf(1)}`, `/products/${idOf(2)}`];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const { headers } = await request(url + other);
      for (const target of [product, '/products?count=5', other]) await request(url + target);
      expect((await request(url + product)).headers['x-cache']).toBe('HIT');
      // nginx keeps what was read so often, and gives it to the first refill.
      for (let visit = 0; visit < 10; visit += 1)
        for (const target of [product, '/products?count=5']) await request(originUrl + target);
      const name = `Purged ${round}`;
      expect((await call('PATCH', product, { name })).status).toBe(200);
      const sinceMs = performance.now();
      const [own, list] = await Promise.all([shows(product, name, sinceMs), shows('/products?count=5', name, sinceMs)]);
      expect([own <= 6000, list <= 7000, own, list]).toEqual([true, true, expect.any(Number), expect.any(Number)]);
      await until(() => seen.purges >= round * 2);
      const kept = await request(url + other);
      expect([kept.headers['x-cache'], kept.headers.etag]).toEqual(['HIT', headers.etag]);
    }
    expect(seen.refused).toBe(0);
  }, 60_000);

  test('forgets a hidden product, also where others name it', async () => {
    const [hidden, other] = [idOf(4), idOf(5)];
    const related = `/products/${other}/related`;
    expect((await call('PATCH', `/products/${other}`, { related: [hidden] })).status).toBe(200);
    await shows(related, String(hidden), performance.now());
    const targets = [`/products/${hidden}`, `/products?ids=${hidden}`, related];
    for (const target of targets) expect((await request(url + target)).status).toBe(200);
    expect((await call('POST', `/products/${hidden}/hide`)).status).toBe(200);
    await until(async () => (await request(url + targets[0])).status === 404);
    await shows(targets[1], '[null]', performance.now());
    await shows(related, '[]', performance.now());
  }, 60_000);

  test('shows another load', async () => {
    const target = `/products/${idOf(3)}`;
    await request(url + target);
    expect((await request(url + target)).headers['x-cache']).toBe('HIT');
    const { client } = served.catalog;
    await served.catalog.swap(`${manyProducts(50)}; UPDATE {schema}.products SET name = 'Loaded'`, 2);
    await client.query("SELECT catalog_log.append('load', 2, is_whole => true)");
    await shows(target, 'Loaded', performance.now());
  }, 60_000);
});
