'use strict';

const zlib = require('node:zlib');

const { serveCatalog, until } = require('../../helpers/app');
const { idOf, manyProducts } = require('../../helpers/database');
const { beginExport } = require('../../helpers/exports');
const { request, requestJson } = require('../../helpers/http');
const { SHOP } = require('../../helpers/shops');
const { readSitemap } = require('../../helpers/sitemaps');
const { writesOn } = require('../../helpers/writes');

describe('a sitemap', () => {
  const products = 2300; // two whole pieces and a part
  const served = serveCatalog(
    `${manyProducts(products)} UPDATE {schema}.products SET name = '<b>"R&D"</b> ü ' || id WHERE id % 7 = 0`,
    SHOP,
  );
  const get = (/** @type {string} */ path, /** @type {object} */ options = {}) =>
    request(served.app.url, { path, ...options });

  test('index names the only file, at the origin of the shop', async () => {
    const { status, headers, body } = await get('/sitemap.xml');
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'application/xml; charset=utf-8',
      'no-store',
    ]);
    expect(readSitemap(body, 'sitemapindex')).toEqual([{ location: 'https://shop.example/sitemap-1.xml' }]);
  });

  test('has every product of the list once, in its order, with its last change', async () => {
    const { body: list } = await requestJson(served.app.url, `/products?count=${products}`);
    const { body } = await get('/sitemap-1.xml');
    const wanted = list.map((/** @type {any} */ { id, name, updated_at: time }) => {
      const slug = name.startsWith('<') ? `b-r-d-b-u-${id}` : name.toLowerCase().replace(' ', '-');
      return { location: `https://shop.example/p/${slug}-${id}?a=1&b=2`, time };
    });
    expect(readSitemap(body, 'urlset')).toEqual(wanted);
    expect(body).toContain('?a=1&amp;b=2</loc>');
  });

  test('is the same compressed, and with a slash', async () => {
    const { body } = await get('/sitemap-1.xml/');
    const packed = await get('/sitemap-1.xml', { headers: { 'accept-encoding': 'gzip' } });
    expect(zlib.gunzipSync(Buffer.from(packed.body, 'latin1')).toString()).toBe(body);
  });

  test('has the change of a write', async () => {
    const { rename } = writesOn(served.catalog.client);
    await rename(idOf(1), 'Written Name');
    const location = `https://shop.example/p/written-name-${idOf(1)}?a=1&b=2`;
    const first = async () => readSitemap((await get('/sitemap-1.xml')).body, 'urlset')[0];
    await until(async () => (await first()).location === location);
    const { body: product } = await requestJson(served.app.url, `/products/${idOf(1)}`);
    expect(await first()).toEqual({ location, time: product.updated_at });
  });

  test.each(['2', '0', '01', 'x', '-1', '1.0', '99999999999'])('file %s does not exist', async (number) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, body } = await get(`/sitemap-${number}.xml`, { method });
      expect(status).toBe(404);
      if (body) expect(body).toMatch(/:unknown-path.*The last file is \/sitemap-1\.xml\./);
    }
  });

  test('answers HEAD and refuses parameters and ETags', async () => {
    for (const path of ['/sitemap.xml', '/sitemap-1.xml']) {
      const head = await get(path, { method: 'HEAD' });
      expect([head.status, head.headers['content-type'], head.body]).toEqual([
        200,
        'application/xml; charset=utf-8',
        '',
      ]);
      expect((await get(`${path}?page=2`)).status).toBe(400);
      expect((await get(`${path}?utm_source=x`)).status).toBe(200);
      expect((await get(path, { headers: { 'if-match': '"x"' } })).status).toBe(412);
    }
  });

  test('takes a place of exports, and frees it', async () => {
    for (let round = 0; round < 5; round += 1) {
      expect((await get('/sitemap-2.xml')).status).toBe(404);
      expect((await get('/sitemap-1.xml', { method: 'HEAD' })).status).toBe(200);
    }
    const metrics = await (await fetch(`${served.app.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/^catalog_replies_total\{route="sitemap",status="200"\} \d+$/m);
    expect((await beginExport(served.app.url, 'view=id')).status).toBe(200);
  });
});

describe('sitemaps of an empty catalog', () => {
  const served = serveCatalog('', SHOP);

  test('are one file without addresses', async () => {
    expect((await request(served.app.url, { path: '/sitemap.xml' })).body).toContain('/sitemap-1.xml</loc>');
    expect((await request(served.app.url, { path: '/sitemap-1.xml' })).body).toMatch(/0\.9">\n<\/urlset>\n$/);
  });
});

describe('a worker without a shop', () => {
  const served = serveCatalog();

  test.each(['/sitemap.xml', '/sitemap-1.xml', '/sitemap-x.xml'])('has no %s, and says what to set', async (path) => {
    const { status, body } = await requestJson(served.app.url, path);
    expect([status, body.type]).toEqual([404, 'urn:catalog:problem:without-shop']);
    expect(body.detail).toBe(
      'Sitemaps need the profile of the shop: set SHOP_NAME, SHOP_CURRENCY and SHOP_PRODUCT_URL of the workers.',
    );
  });
});
