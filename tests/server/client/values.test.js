'use strict';

const { execFileSync } = require('node:child_process');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const { createCatalog } = require('../../helpers/client');

/** The URL that a call requests. @param {(catalog: any) => Promise<unknown>} call @param {object} [options] of the client */
async function urlOf(call, options) {
  /** @type {string[]} */
  const urls = [];
  const reply = { items: [], next: null };
  await call(createCatalog({ ...options, fetch: async (url) => (urls.push(url), Response.json(reply)) }));
  return urls.join(' ');
}

test('values reach the service as they are: commas, ampersands, half a pair of UTF-16', async () => {
  const params = { q: 'a&b=c\ud800', category: ['Suits, Blazers', 'Kicks'], 'feature.Länge': '30"', in_stock: false };
  const query = 'q=a%26b%3Dc%EF%BF%BD&category=Suits%2C%20Blazers&category=Kicks&feature.L%C3%A4nge=30%22';
  expect(await urlOf((catalog) => catalog.search(params))).toBe(`/search?${query}`);
  expect(await urlOf((catalog) => catalog.products({ include: ['offer', 'related'], count: 3 }))).toBe(
    '/products?include=offer,related&count=3',
  );
});

describe.each([[null], [undefined], ['']])('%j', (unasked) => {
  const all = { q: unasked, size: [unasked, 'M', unasked], category: [unasked], facets: ['size', unasked] };
  test.each(
    /** @type {[string, (catalog: any) => Promise<unknown>, string][]} */ ([
      [
        'search',
        (catalog) => catalog.search({ ...all, on_sale: unasked, count: unasked }),
        '/search?size=M&facets=size',
      ],
      ['search alone', (catalog) => catalog.search(unasked), '/search'],
      [
        'searchAll',
        (catalog) => catalog.searchAll({ q: unasked, count: unasked, after: unasked }).next(),
        '/search?count=100',
      ],
      ['suggest', (catalog) => catalog.suggest(unasked, { count: unasked }), '/suggest'],
      ['suggestions', (catalog) => catalog.suggestions()('j', unasked), '/suggest?q=j'],
      [
        'products',
        (catalog) => catalog.products({ page: unasked, include: [unasked, 'offer'] }),
        '/products?include=offer',
      ],
      ['product', (catalog) => catalog.product(1, { include: unasked, signal: unasked || null }), '/products/1'],
      ['items', (catalog) => catalog.items([unasked], { include: unasked }), ''],
      ['sku', (catalog) => catalog.sku(1, { include: unasked }), '/skus/1'],
      ['skus', (catalog) => catalog.skus([unasked, 2], { include: unasked }), '/skus?ids=2'],
      ['skusBy', (catalog) => catalog.skusBy('code', ['A,B', unasked]), '/skus?field.code=A%2CB'],
      ['menu', (catalog) => catalog.menu(unasked), '/catalog'],
    ]),
  )('is not asked by %s', async (_, call, wanted) => expect(await urlOf(call)).toBe(wanted));

  test('is not asked by exportAll, and no address of the client', async () => {
    const end = '{"end":{"count":0,"last":null,"catalog_version":"1","changed":false}}\n';
    /** @type {string[]} */
    const urls = [];
    const options = { url: unasked, fetch: async (/** @type {string} */ url) => (urls.push(url), new Response(end)) };
    await createCatalog(options)
      .exportAll(/** @type {any} */ ({ view: unasked, after: unasked }))
      .next();
    expect(urls).toEqual(['/export?view=card']);
  });
});

test.each([
  [1e-7, '0.0000001'],
  [1.5e-9, '0.0000000015'],
  [1e21, '1000000000000000000000'],
  [123456789.5, '123456789.5'],
  [49.9, '49.9'],
  [0.1 + 0.2, '0.30000000000000004'],
  [2 ** 53, '9007199254740992'],
  [0, '0'],
  [-0, '0'],
  [-1, '-1'],
])('the number %d is sent as %s', async (number, wanted) => {
  expect(await urlOf((catalog) => catalog.search({ min_price: number }))).toBe(`/search?min_price=${wanted}`);
  expect(await urlOf((catalog) => catalog.search({ size: [number] }))).toBe(`/search?size=${wanted}`);
});

test('of booleans, true is sent and false is not asked', async () => {
  const params = { on_sale: true, in_stock: false, 'feature.Lined': [true, false] };
  expect(await urlOf((catalog) => catalog.search(params))).toBe('/search?on_sale=true&feature.Lined=true');
});

test.each([
  NaN,
  Infinity,
  -Infinity,
  5n,
  new Date(0),
  {},
  [['M']],
  [{}],
  Symbol('x'),
  () => 'x',
  new Set(['M']),
  new URL('https://shop.example'),
])('%p as a value is a TypeError that names the parameter', async (value) => {
  for (const name of ['size', 'max_price', 'include', 'feature.Fabric'])
    await expect(urlOf((catalog) => catalog.search({ [name]: value }))).rejects.toMatchObject({
      name: 'TypeError',
      message: expect.stringContaining(
        `${name} must be a text, a finite number, a boolean or a list of these, and not `,
      ),
    });
  await expect(urlOf((catalog) => catalog.suggest(value))).rejects.toThrow('q must be');
  await expect(urlOf((catalog) => catalog.exportAll({ after: value }).next())).rejects.toThrow('after must be');
});

test.each([
  ['https://shop.example/api/', 'https://shop.example/api/products/1'],
  [new URL('https://shop.example'), 'https://shop.example/products/1'],
  [new URL('https://shop.example/api/'), 'https://shop.example/api/products/1'],
  ['/api', '/api/products/1'],
])('%s is taken as url', async (url, wanted) => {
  expect(await urlOf((catalog) => catalog.product(1), { url })).toBe(wanted);
});

test.each([5, {}, 'https://shop.example/?x=1', new URL('https://shop.example/#x')])(
  '%s as url is a TypeError',
  (url) => {
    expect(() => createCatalog(/** @type {any} */ ({ url }))).toThrow('url must be a text or a URL without ? and #');
  },
);

test('an engine without flag v and Intl.Segmenter imports the client and searches', () => {
  const client = pathToFileURL(path.join(__dirname, '../../../server/client/catalog.js')).href;
  const code = `
    const { RegExp: Newer } = globalThis;
    globalThis.RegExp = new Proxy(Newer, { construct(target, [source, flags = '']) {
      if (flags.includes('v')) throw new SyntaxError('Invalid flags');
      return new target(source, flags);
    } });
    delete Intl.Segmenter;
    delete String.prototype.toWellFormed;
    const { createCatalog } = await import(${JSON.stringify(client)});
    const catalog = createCatalog({ fetch: async (url) => Response.json({ url }) });
    process.stdout.write((await catalog.search({ q: 'ä' })).url);`;
  const out = execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
  expect(out).toBe('/search?q=%C3%A4');
});
