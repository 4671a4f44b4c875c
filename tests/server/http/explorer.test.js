'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { startNginx } = require('../../../scripts/local/nginx');
const { serveCatalog } = require('../../helpers/app');
const { request } = require('../../helpers/http');
const { freePort } = require('../../helpers/servers');

const server = path.join(__dirname, '../../../server');
const page = fs.readFileSync(path.join(server, 'browser/shop/index.html'), 'utf8');
/** Files that the page loads before its script runs, relative to it. */
const links = [...page.matchAll(/(?:src|href)="((?:browser|client)\/[^"]+)"/g)].map(([, link]) => link);

/** All modules that one imports, itself included. @param {string} file relative to server/ @returns {string[]} */
function modulesOf(file, found = new Set([file])) {
  const text = fs.readFileSync(path.join(server, file), 'utf8');
  for (const [, to] of text.matchAll(/^(?:import|export)\b[^'()]*\bfrom '([^']+)'/gm)) {
    const next = path.join(path.dirname(file), to);
    if (!found.has(next)) modulesOf(next, found.add(next));
  }
  return [...found];
}

describe('the explorer', () => {
  const served = serveCatalog();
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'explorer-'));
  fs.chmodSync(dir, 0o711); // nginx's own workers, "nobody" when we are root, pass through it
  /** @type {Awaited<ReturnType<typeof startNginx>>} */
  let nginx;
  const urls = { 'a worker': '', nginx: '' };
  beforeAll(async () => {
    const port = await freePort();
    nginx = await startNginx({ dir, port, workers: [new URL(served.app.url).host] });
    Object.assign(urls, { 'a worker': served.app.url, nginx: `http://127.0.0.1:${port}` });
  });
  afterAll(async () => {
    await nginx?.stop();
    fs.rmSync(dir, { recursive: true });
  });

  test('names all modules of its script, so that a browser loads them at once', () => {
    expect(links.filter((link) => link.endsWith('.js')).sort()).toEqual(modulesOf('browser/shop/main.js').sort());
  });

  test('is one page for every view, and its links work behind a path prefix', () => {
    const all = [...page.matchAll(/(?:src|href|action)="([^"#]+)"/g)].map(([, link]) => link);
    expect(all.filter((link) => /^(\w+:|\/)/.test(link))).toEqual(['data:,']);
    expect(page).not.toMatch(/<style|style="|<script>|\son\w+="/); // its policy runs no inline script or style
  });

  describe.each(/** @type {(keyof typeof urls)[]} */ (['a worker', 'nginx']))('from %s', (front) => {
    /** @param {string} target @param {Record<string, string>} [headers] */
    const get = (target, headers) => request(urls[front], { path: target, headers });

    test('is served at / with any query, and is the same bytes', async () => {
      for (const target of ['/', '/?q=green+parka&category=Jackets&category=Pants', '/?product=8']) {
        const { status, headers, body } = await get(target);
        expect([status, headers['content-type'], body]).toEqual([
          200,
          'text/html; charset=utf-8',
          Buffer.from(page).toString('latin1'),
        ]);
      }
    });

    test('has a strict policy, which allows photos of other hosts and nothing else', async () => {
      const { headers } = await get('/');
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https: http:; " +
          "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      );
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect((await get('/docs')).headers['content-security-policy']).toContain("img-src 'self' data:; connect-src");
    });

    test('serves all that it loads, compressed, with a validator', async () => {
      expect(links.length).toBeGreaterThan(10);
      for (const target of ['', ...links].map((link) => `/${link}`)) {
        const plain = await get(target);
        const type = target.endsWith('.css') ? 'text/css' : target === '/' ? 'text/html' : 'text/javascript';
        expect([plain.status, plain.headers['content-type']]).toEqual([200, `${type}; charset=utf-8`]);
        const { etag } = plain.headers;
        expect(etag).toMatch(/^"[\w-]{22}"$/);
        expect((await get(target, { 'If-None-Match': String(etag) })).status).toBe(304);
        const head = await request(urls[front], { path: target, method: 'HEAD' });
        expect([head.status, head.headers.etag, head.body]).toEqual([200, etag, '']);
      }
      const { headers } = await get('/browser/shop/main.js', { 'Accept-Encoding': 'gzip' });
      expect([headers['content-encoding'], headers.vary]).toEqual(['gzip', 'Accept-Encoding']);
    });

    test('serves no other file of its folders', async () => {
      const namesIn = (/** @type {string} */ folder) => fs.readdirSync(path.join(server, folder));
      const files = ['browser/shop', 'browser/shared', 'client'].flatMap((folder) =>
        namesIn(folder).map((name) => `${folder}/${name}`),
      );
      const statuses = await Promise.all(files.map(async (file) => [file, (await get(`/${file}`)).status]));
      expect(statuses).toEqual(files.map((file) => [file, links.includes(file) ? 200 : 404]));
    });

    test.each([
      '/browser/shop',
      '/browser/shop/nothing.js',
      '/browser/shop/index.html',
      '/browser/shop/main.js/x',
      '/browser/shop/%2e%2e%2findex.js',
      '/browser/shop/__proto__',
    ])('%s is an unknown path', async (target) => {
      const { status, body } = await get(target);
      expect([status, JSON.parse(body).type]).toEqual([404, 'urn:catalog:problem:unknown-path']);
    });
  });
});
