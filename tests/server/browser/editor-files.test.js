'use strict';

const { readFileSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

const { serveWriter } = require('../../helpers/writer');

const SERVER = join(__dirname, '../../../server');
const served = serveWriter();
const get = (/** @type {string} */ path) => fetch(served.app.url + path);

/** Files that a browser loads for the page: it names them, or its modules import them. */
function loaded() {
  const page = readFileSync(join(SERVER, 'browser/editor/index.html'), 'utf8');
  const named = [...page.matchAll(/(?:href|src)="([^"]+\.(?:js|css))"/g)].map(([, path]) => `/${path}`);
  const all = new Set(named);
  for (const path of all) {
    const text = readFileSync(join(SERVER, path), 'utf8');
    for (const [, module] of text.matchAll(/^import .* from '(.+)';$/gm)) all.add(join(path, '..', module));
  }
  return { named, all: [...all] };
}

test('the page names all that it loads, so that the browser loads it at once', () => {
  const { named, all } = loaded();
  expect(all.filter((path) => !named.includes(path))).toEqual([]);
  const own = readdirSync(join(SERVER, 'browser/editor')).filter((name) => /\.(js|css)$/.test(name));
  expect(own.filter((name) => !named.includes(`/browser/editor/${name}`))).toEqual([]);
});

test('the writer serves the page and its files without a key, and nothing else', async () => {
  for (const path of ['/', ...loaded().all]) {
    const reply = await get(path);
    const wanted = { js: 'text/javascript', css: 'text/css' }[String(path.split('.')[1])] ?? 'text/html';
    expect([path, reply.status, reply.headers.get('content-type')]).toEqual([path, 200, `${wanted}; charset=utf-8`]);
    await reply.text();
  }
  for (const path of ['/browser/shop/main.js', '/browser/editor/package.json', '/browser/editor/..%2froutes.js'])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  expect((await fetch(served.app.url, { method: 'POST' })).status).toBe(405);
});

test('the page may load nothing from elsewhere but photos, and no form of it leads anywhere', async () => {
  const { headers } = await get('/');
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https: http:; " +
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual(['no-store', 'nosniff']);
});
