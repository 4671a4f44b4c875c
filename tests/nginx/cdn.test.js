'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { serveCatalog, until } = require('../helpers/app');
const { manyProducts } = require('../helpers/database');
const { request } = require('../helpers/http');
const { runNginx } = require('../helpers/nginx');
const { freePort } = require('../helpers/servers');

const readme = fs.readFileSync(path.join(__dirname, '../../nginx/README.md'), 'utf8');
const [, recipe] = readme.match(/^```nginx\n(.*?)^```/ms) ?? [];

describe('a CDN with the settings of nginx/README.md', () => {
  const served = serveCatalog(manyProducts(100), { CACHE_MAX_AGE_SECONDS: 1, CACHE_STALE_SECONDS: 3600 });
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'cdn-'));
  /** @type {Awaited<ReturnType<typeof runNginx>>} */
  let cdn;
  let url = '';
  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    cdn = await runNginx(
      dir,
      `daemon off; pid nginx.pid; worker_processes 1; events {}
http {
  access_log off;
  proxy_cache_path cache keys_zone=edge:1m;
  server {
    listen 127.0.0.1:${port};
    location / { proxy_http_version 1.1; proxy_set_header Connection ""; proxy_pass ${served.app.url}; add_header X-Cache $upstream_cache_status; ${recipe} }
  }
}`,
    );
  });
  afterAll(async () => {
    await cdn?.stop();
    fs.rmSync(dir, { recursive: true });
  });
  /** Requests that reached the worker. */
  const replied = () => (served.app.counts.replied ?? 0) + (served.app.counts.repliedAtOnce ?? 0);
  const get = (/** @type {string} */ target, /** @type {Record<string, string>} */ headers = {}) =>
    request(url + target, { headers });

  test('asks the worker once for many visitors, and once for each encoding', async () => {
    const before = replied();
    const target = '/products?count=50';
    const plain = await Promise.all(Array.from({ length: 20 }, () => get(target, { 'Accept-Encoding': 'identity' })));
    const packed = await get(target, { 'Accept-Encoding': 'gzip' });
    expect(new Set(plain.map(({ status, body }) => `${status} ${body.length}`)).size).toBe(1);
    expect([plain[0].headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip']);
    expect(replied() - before).toBe(2);
  });

  test('keeps queries apart, and answers If-None-Match itself', async () => {
    const lists = [await get('/products?count=1'), await get('/products?count=2')];
    expect(lists.map(({ body }) => JSON.parse(String(body)).length)).toEqual([1, 2]);
    const before = replied();
    const { status } = await get('/products?count=2', { 'If-None-Match': String(lists[1].headers.etag) });
    expect([status, replied() - before]).toEqual([304, 0]);
  });

  test('keeps no problem and no export', async () => {
    for (const target of ['/products/3', '/export?view=id']) {
      const before = replied();
      await get(target);
      await get(target);
      expect(replied() - before).toBe(2);
    }
  });

  test('shows a reply that is too old while it renews it, once', async () => {
    const target = '/products/4';
    const { body, headers } = await get(target);
    const next = served.app.nextVersion();
    await served.catalog.swap(`${manyProducts(100)}; UPDATE {schema}.products SET slogan = 'New'`, 2);
    await next;
    let reply;
    do reply = await get(target);
    while (reply.headers['x-cache'] === 'HIT');
    expect([reply.headers['x-cache'], reply.body]).toEqual(['STALE', body]);
    await until(async () => (await get(target)).headers.etag !== headers.etag);
  });
});
