'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { startNginx } = require('../../scripts/local/nginx');
const { serveCatalog, startService, until } = require('../helpers/app');
const { request } = require('../helpers/http');
const { freePort, redisUrl } = require('../helpers/servers');

/** Headers of the message and of the connection, not of the reply's content. */
const perMessage = ['date', 'server', 'x-request-id', 'connection', 'keep-alive', 'transfer-encoding'];
/** Headers of a 304 that only nginx repeats: it removes just length and type of a cached reply. */
const onlyNginxRepeats = ['content-security-policy'];

describe('a reply has the same headers and body from every cache', () => {
  const prefix = `every-path-${process.pid}:`;
  const served = serveCatalog(undefined, { REDIS_URL: redisUrl(), REDIS_KEY_PREFIX: prefix, GZIP_MIN_BYTES: 64 });
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'every-path-'));
  /** @type {Awaited<ReturnType<typeof startService>>} */
  let second;
  /** @type {Awaited<ReturnType<typeof startNginx>>} */
  let nginx;
  let nginxUrl = '';
  beforeAll(async () => {
    const { catalog, app } = served;
    second = await startService({
      DATABASE_URL: catalog.dsn,
      REDIS_URL: redisUrl(),
      REDIS_KEY_PREFIX: prefix,
      GZIP_MIN_BYTES: 64,
    });
    const port = await freePort();
    nginx = await startNginx({ dir, port, workers: [new URL(app.url).host] });
    nginxUrl = `http://127.0.0.1:${port}`;
  });
  afterAll(async () => {
    await nginx?.stop();
    await second?.close();
    fs.rmSync(dir, { recursive: true });
  });

  /** @param {string} url @param {Parameters<typeof request>[1]} options */
  async function answer(url, options) {
    const headers = { ...options?.headers, 'x-request-id': 'every-path' }; // a problem names it
    const { status, headers: all, body } = await request(url, { ...options, headers });
    const ignored = status === 304 ? [...perMessage, ...onlyNginxRepeats] : perMessage;
    const own = Object.entries(all).filter(([name]) => !ignored.includes(name));
    return { status, headers: Object.fromEntries(own.sort()), body };
  }

  test.each([
    '/products/1',
    '/products/1/',
    '/products/4',
    '/products/1?page=2',
    '/products/1?page=2#top',
    '/products/1/styles',
    '/products/5/related',
    '/products',
    '/products/?count=2',
    '/products?page=2&count=2',
    '/products?page=1&count=2&utm_source=x',
    '/products??page=2',
    '/products?count=2&count%20=1',
    '/products?after=2&count=1',
    '/products?page=99',
    '/products/1?include=styles,offer',
    '/products/1?include=offer%2Crelated',
    '/products?include=offer&count=2',
    '/products?include=styles&page=2&count=2',
    '/products?ids=4,99,1',
    '/products?ids=1&ids=4&include=styles',
    '/products/1?include=style',
    '/products?ids=1,x',
    '/products/99',
    '/products/x',
    '/products?count=0',
    '/products?page=1&page=2',
    '/skus/37',
    '/skus/37/?include=card&x=1',
    '/skus/99',
    '/skus?ids=40,99,37&include=card',
    '/skus/?ids=38',
    '/skus',
    '/catalog',
    '/search?q=x',
    '/search?x=1',
    '/export?view=id',
    '/export?view=ids',
    '/openapi.json',
    '/nowhere',
  ])('%s', async (target) => {
    const { app } = served;
    const etag = String((await answer(app.url, { path: target })).headers.etag);
    /** @type {NonNullable<Parameters<typeof request>[1]>[]} */
    const ways = [
      {},
      { headers: { 'accept-encoding': 'gzip' } },
      { method: 'HEAD' },
      { headers: { 'if-none-match': etag } },
      { headers: { 'if-match': '"another"' } },
    ];
    for (const way of ways) {
      const options = { path: target, ...way };
      const wanted = await answer(app.url, options); // from PostgreSQL, then from L1
      // from Redis; nginx caches a reply from its eighth request on
      for (const url of [second.url, ...Array(10).fill(nginxUrl)]) {
        expect(await answer(url, options)).toEqual(wanted);
      }
    }
  });

  test('every cache answered', async () => {
    expect(second.counts.l2).toBeGreaterThan(5);
    const metrics = await (await fetch(`${served.app.adminUrl}/metrics`)).text();
    expect(Number(/catalog_reads_total\{tier="l1"\} (\d+)/.exec(metrics)?.[1])).toBeGreaterThan(5);
    const log = path.join(dir, 'logs', 'nginx-access.log'); // nginx buffers lines for a second
    await until(() => fs.readFileSync(log, 'utf8').includes('"cache":"HIT"'));
  });
});
