'use strict';

const { once } = require('node:events');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const zlib = require('node:zlib');

const { startNginx } = require('../../../scripts/local/nginx');
const { serveCatalog, startService } = require('../../helpers/app');
const { request, requestJson } = require('../../helpers/http');
const { differences } = require('../../helpers/openapi');
const { freePort } = require('../../helpers/servers');
const { SHOP } = require('../../helpers/shops');
const { ask, post, ucpErrors } = require('../../helpers/ucp');

const euros = (/** @type {number} */ amount) => ({ amount, currency: 'EUR' });

describe('UCP', () => {
  const served = serveCatalog(undefined, { ...SHOP, GZIP_MIN_BYTES: 64 });
  const to = (/** @type {'search' | 'lookup' | 'product'} */ kind, /** @type {object} */ content) =>
    ask(served.app.url, kind, content);

  test('has a profile that caches keep', async () => {
    const { status, headers, body } = await requestJson(served.app.url, '/.well-known/ucp');
    expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=3600']);
    expect(ucpErrors('profile', body)).toEqual([]);
    const [{ transport, endpoint }] = body.ucp.services['dev.ucp.shopping'];
    expect([transport, endpoint]).toEqual(['rest', 'https://shop.example/ucp']);
  });

  test('shows a product with the featured variant, in stock and of the default style', async () => {
    const { products, messages } = await to('lookup', { ids: ['product-1', 'product-3', 'nonsense', 'product-1'] });
    expect(messages.map((/** @type {any} */ { code, content }) => [code, content])).toEqual([
      ['not_found', 'product-3'],
      ['not_found', 'nonsense'],
    ]);
    expect(products).toEqual([
      expect.objectContaining({
        id: 'product-1',
        handle: 'camo-onesie',
        url: 'https://shop.example/p/camo-onesie-1?a=1&b=2',
        price_range: { min: euros(10000), max: euros(14000) }, // 99.995 is rounded half up
        list_price_range: { min: euros(14000), max: euros(14000) },
        media: [{ type: 'image', url: 'https://x/7.jpg', alt_text: 'Camo "\\" Onesie, Forest Green' }],
        options: [
          {
            name: 'Style',
            values: [
              { id: '1', label: 'Forest Green' },
              { id: '2', label: 'Desert "\\" Brown' },
            ],
          },
          { name: 'Size', values: [{ label: '7"\\' }, { label: '7.5' }, { label: 'One Size' }] },
        ],
        variants: [
          {
            id: 'sku-37',
            sku: '37',
            title: 'Forest Green, 7"\\',
            description: { plain: 'Camo "\\" Onesie, Forest Green, 7"\\' },
            price: euros(14000),
            availability: { available: true, status: 'in_stock' },
            options: [
              { name: 'Style', id: '1', label: 'Forest Green' },
              { name: 'Size', label: '7"\\' },
            ],
            media: [{ type: 'image', url: 'https://x/7.jpg', alt_text: 'Camo "\\" Onesie, Forest Green' }],
            inputs: [{ id: 'product-1', match: 'featured' }],
          },
        ],
      }),
    ]);
  });

  test('shows a style without skus, and a product without styles, as unavailable variants', async () => {
    const ids = ['product-2-style-7', 'product-4', 'sku-40'];
    const { products, messages } = await to('lookup', { ids: [...ids, 'product-2-style-8', 'sku-99'] });
    expect(messages).toHaveLength(2);
    const seen = products.map((/** @type {any} */ { variants: [{ id, price, availability, inputs }] }) => [
      id,
      price.amount,
      availability.available,
      inputs,
    ]);
    expect(seen.sort()).toEqual([
      ['product-2-style-7', 2000, false, [{ id: 'product-2-style-7', match: 'exact' }]],
      ['product-4', 0, false, [{ id: 'product-4', match: 'featured' }]],
      ['sku-40', 10000, true, [{ id: 'sku-40', match: 'exact' }]],
    ]);
  });

  test('narrows variants by what is selected, and says what else can be had', async () => {
    const { product } = await to('product', { id: 'product-1', selected: [{ name: 'Size', label: '7.5' }] });
    expect(product.variants.map((/** @type {any} */ { id }) => id)).toEqual(['sku-39', 'sku-38']);
    expect(product.selected).toEqual([{ name: 'Size', label: '7.5' }]);
    const [style] = product.options;
    expect(style.values).toEqual([
      { id: '1', label: 'Forest Green', available: true, exists: true },
      { id: '2', label: 'Desert "\\" Brown', available: false, exists: false },
    ]);
    const all = await to('product', { id: 'product-1', selected: [] });
    expect(all.product.variants).toHaveLength(4);
    const featured = await to('product', { id: 'product-1' });
    expect(featured.product.selected).toEqual(featured.product.variants[0].options);
    const one = await to('product', { id: 'sku-38', selected: [{ name: 'Size', label: 'One Size' }] });
    expect(one.product.variants.map((/** @type {any} */ { id }) => id)).toEqual(['sku-38', 'sku-39']);
  });

  test.each([
    [['Style', 'Size'], 'Style', 3],
    [['Size', 'Style'], 'Size', 1],
    [['Size'], 'Size', 1],
  ])('gives up the last of the preferences %j first', async (preferences, kept, count) => {
    const selected = [
      { name: 'Style', label: 'any', id: '1' },
      { name: 'Size', label: 'One Size' },
    ];
    const { product } = await to('product', { id: 'product-1', selected, preferences });
    expect(product.selected.map((/** @type {any} */ { name }) => name)).toEqual([kept]);
    expect(product.variants).toHaveLength(count);
  });

  test('filters by price after identifiers and selections', async () => {
    const filters = { price: { max: 10000 } };
    const { products } = await to('lookup', { ids: ['product-1', 'product-7', 'sku-37'], filters });
    expect(products.map((/** @type {any} */ { id, variants }) => [id, variants[0].id])).toEqual([
      ['product-1', 'sku-40'],
      ['product-7', 'product-7'],
    ]);
    const { products: shoes } = await to('lookup', {
      ids: ['product-1', 'product-7'],
      filters: { categories: ['Shoes'] },
    });
    expect(shoes.map((/** @type {any} */ { id }) => id)).toEqual(['product-7']);
    for (const wanted of [
      { id: 'sku-37', filters },
      { id: 'product-3' },
      { id: '1' },
      { id: 'product-99999999999' },
      { id: 'product-7', filters: { categories: ['Hats'] } },
    ]) {
      const { ucp, messages } = await to('product', wanted);
      expect([ucp.status, messages[0].code]).toEqual(['error', 'not_found']);
    }
  });

  test('compresses, and no cache keeps it', async () => {
    const path = '/ucp/catalog/lookup';
    const plain = await post(served.app.url, path, { ids: ['product-1'] });
    const packed = await post(served.app.url, path, { ids: ['product-1'] }, { 'accept-encoding': 'gzip' });
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      'cache-control': 'no-store',
      vary: 'Accept-Encoding',
    });
    expect(zlib.gunzipSync(packed.bytes).toString()).toBe(plain.bytes.toString());
  });

  test.each([
    ['lookup', '', '$', 'is not JSON'],
    ['lookup', '{', '$', 'is not JSON'],
    ['lookup', '[]', '$', 'must be an object'],
    ['lookup', {}, '$.ids', 'is missing'],
    ['lookup', { ids: [] }, '$.ids', 'is empty'],
    ['lookup', { ids: [1] }, '$.ids', 'must be a list of strings'],
    ['lookup', { ids: Array(51).fill('product-1') }, '$.ids', 'may have 50 values, and has 51'],
    ['search', { query: null }, '$.query', 'must be a string, and not "null"'],
    ['search', { filters: { price: { min: 1.5 } } }, '$.filters.price.min', 'minor units'],
    ['search', { filters: { categories: 'Shoes' } }, '$.filters.categories', 'must be a list of strings'],
    ['search', { filters: { categories: Array(101).fill('x') } }, '$.filters.categories', 'may have 100 values'],
    ['search', { pagination: { limit: 0 } }, '$.pagination.limit', 'from 1'],
    ['product', { id: 'product-1', selected: [{ name: 'Size' }] }, '$.selected', 'must be a list of'],
    ['product', { id: 'x', selected: Array(2).fill({ name: 'a', label: 'b' }) }, '$.selected', 'twice'],
  ])('refuses what is wrong in a body of %s', async (kind, content, place, text) => {
    const { status, body } = await post(served.app.url, `/ucp/catalog/${kind}`, content);
    expect(ucpErrors('error', body)).toEqual([]);
    const [{ path: at, content: said, code }] = body.messages;
    expect([status, at, said]).toEqual([400, place, expect.stringContaining(text)]);
    expect(code).toBe(/may have/.test(text) ? 'request_too_large' : 'invalid_request');
  });

  test.each([
    ['search', {}],
    ['lookup', { ids: ['product-1'] }],
    ['product', { id: 'product-9' }],
    ['product', {}],
  ])('has replies to %s that OpenAPI describes', async (kind, content) => {
    const path = `/ucp/catalog/${kind}`;
    const { bytes, ...response } = await post(served.app.url, path, content);
    expect(differences('POST', path, { ...response, text: bytes.toString() })).toEqual([]);
  });

  test('answers only POST and preflights, and knows no parameters', async () => {
    const path = '/ucp/catalog/search';
    for (const method of ['GET', 'HEAD', 'PUT']) {
      const { status, headers } = await request(served.app.url, { path, method });
      expect([status, headers.allow]).toEqual([405, 'POST, OPTIONS']);
    }
    const { headers } = await request(served.app.url, { path: `${path}/`, method: 'OPTIONS' });
    expect(headers['access-control-allow-methods']).toBe('POST, OPTIONS');
    expect((await post(served.app.url, `${path}?q=x`, {})).status).toBe(400);
    expect((await post(served.app.url, '/products/1', {})).headers.allow).toBe('GET, HEAD, OPTIONS');
  });

  test('is counted by the status of its replies', async () => {
    await post(served.app.url, '/ucp/catalog/lookup', {});
    const metrics = await (await fetch(`${served.app.adminUrl}/metrics`)).text();
    for (const status of [200, 400])
      expect(metrics).toMatch(new RegExp(`^catalog_replies_total\\{route="ucp",status="${status}"\\} \\d+$`, 'm'));
  });
});

describe('UCP through nginx', () => {
  const served = serveCatalog(undefined, SHOP);
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'ucp-'));
  /** @type {Awaited<ReturnType<typeof startNginx>>} */
  let nginx;
  /** @type {Awaited<ReturnType<typeof startService>>} */
  let other;
  let url = '';
  beforeAll(async () => {
    fs.chmodSync(dir, 0o711);
    const port = await freePort();
    other = await startService({ DATABASE_URL: served.catalog.dsn, ...SHOP });
    nginx = await startNginx({ dir, port, workers: [served.app.url, other.url].map((each) => new URL(each).host) });
    url = `http://127.0.0.1:${port}`;
  });
  afterAll(async () => {
    await nginx?.stop();
    await other?.close();
    fs.rmSync(dir, { recursive: true });
  });

  test('is what a worker answers, whatever the body before it was', async () => {
    for (const id of ['product-1', 'product-2', 'product-1', 'sku-40'])
      for (const headers of [undefined, { 'transfer-encoding': 'chunked' }]) {
        const [direct, through] = await Promise.all(
          [served.app.url, url].map((each) => post(each, '/ucp/catalog/product', { id }, headers)),
        );
        expect(through.bytes.toString()).toBe(direct.bytes.toString());
        expect(through.status).toBe(200);
      }
  });

  test.each([() => url, () => served.app.url])('takes bodies of 16 KB, and not of more', async (target) => {
    const ids = ['product-1', ' '.repeat(16_384 - '{"ids":["product-1",""]}'.length)];
    expect((await post(target(), '/ucp/catalog/lookup', { ids })).status).toBe(200);
    const { status, body } = await post(target(), '/ucp/catalog/lookup', { ids: [...ids, ''] });
    expect([status, body.type]).toEqual([413, 'urn:catalog:problem:content-too-large']);
  });

  test('comes from another worker when one breaks off', async () => {
    const broken = net.createServer((socket) => socket.once('data', () => socket.destroy())).listen(0, '127.0.0.1');
    await once(broken, 'listening');
    const { port: dying } = /** @type {net.AddressInfo} */ (broken.address());
    const port = await freePort();
    const workers = [`127.0.0.1:${dying}`, new URL(served.app.url).host];
    const own = await startNginx({ dir: path.join(dir, 'own'), port, workers });
    try {
      for (let round = 0; round < 10; round += 1)
        expect((await ask(`http://127.0.0.1:${port}`, 'lookup', { ids: ['product-1'] })).products).toHaveLength(1);
    } finally {
      await own.stop();
      broken.close();
    }
  });
});

describe('a worker without a shop', () => {
  const served = serveCatalog();

  test('has no UCP, and says what to set', async () => {
    const profile = await requestJson(served.app.url, '/.well-known/ucp');
    const search = await post(served.app.url, '/ucp/catalog/search', {});
    for (const { status, body } of [profile, search])
      expect([status, body.type, body.detail]).toEqual([
        404,
        'urn:catalog:problem:without-shop',
        'UCP needs the profile of the shop: set SHOP_NAME, SHOP_CURRENCY and SHOP_PRODUCT_URL of the workers.',
      ]);
  });
});
