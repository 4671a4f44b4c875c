'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { startService, until } = require('../helpers/app');
const { createLoaded } = require('../helpers/loaded-writer');
const { readerOf } = require('../helpers/openapi');

const example = path.join(__dirname, '../../scripts/generate/example');
const boot =
  '"fields":{"brand":"Granit 15\\" Works","weight_g":760.25,"launched":"2023-08-01","waterproof":true,"tags":["winter","hiking"]}';

describe('the example of fields of its own, as it is served', () => {
  const plain = fs.mkdtempSync(path.join(os.tmpdir(), 'own-fields-'));
  /** @type {Awaited<ReturnType<typeof createLoaded>>} */
  let loaded;
  /** @type {Awaited<ReturnType<typeof startService>>} */
  let app;
  beforeAll(async () => {
    loaded = await createLoaded();
    expect((await loaded.load('load', example)).status).toBe(0);
    app = await startService({ DATABASE_URL: loaded.apiDsn });
  }, 60_000);
  afterAll(async () => {
    await app?.close();
    await loaded?.drop();
    fs.rmSync(plain, { recursive: true });
  });

  /** @param {string} target @returns {Promise<string>} */
  const text = async (target) => (await fetch(`${app.url}${target}`)).text();
  const described = async () => JSON.parse(await text('/openapi.json'));

  test('a product of a list ends with its fields after its times', async () => {
    const body = await text('/products?after=11&count=1');
    expect(body.slice(body.indexOf('"updated_at"')).replace(/"\d{4}-[^"]+Z"/, 'TIME')).toBe(
      `"updated_at":TIME,${boot}}]`,
    );
    expect(await text('/products?ids=12')).toBe(body);
    expect(await text('/products?ids=12&include=offer')).toContain(`,${boot},"offer":{`);
  });

  test('a product ends with its fields after its features, without those that are empty', async () => {
    expect((await text('/products/12')).endsWith(`"value":null}],${boot}}`)).toBe(true);
    expect(await text('/products/20')).toMatch(/"features":\[\],"fields":\{"tags":\["gift"\]\}\}$/);
  });

  test('styles and skus end with their fields', async () => {
    const body = await text('/products/16/styles');
    expect(body).toMatch(
      /"skus":\{"\d+":\{"quantity":\d+,"size":"One Size","fields":\{"code":"DBS-MIX-OS","gtin":"\d{13}"\}\}\},"fields":\{\}\}\]\}$/,
    );
    expect(await text('/products/1/styles')).toContain('},"fields":{"colour":"Orange"}}]}');
  });

  test('cards end with the fields of cards: in searches, suggestions, related ones and exports', async () => {
    const card = /"thumbnail_url":"[^"]+"\},"fields":\{"brand":"Granit 15\\" Works"\}\}/;
    expect(await text('/search?q=mountain+boot')).toMatch(card);
    expect(await text('/suggest?q=mountain+boot')).toMatch(card);
    expect(await text('/products/11?include=related')).toMatch(card);
    expect((await text('/export?view=card&after=11')).split('\n')[0]).toMatch(new RegExp(`${card.source}$`));
    expect((await text('/export?view=product&after=11')).split('\n')[0]).toBe(await text('/products/12'));
  });

  test('/openapi.json describes each field with its type, and all replies are as it says', async () => {
    const document = await described();
    const { schemas } = document.components;
    expect(Object.entries(schemas.ProductFields.properties).map(([name, { type }]) => `${name} ${type}`)).toEqual([
      'brand string',
      'weight_g number',
      'launched string',
      'waterproof boolean',
      'tags array',
    ]);
    expect(
      [schemas.CardFields, schemas.StyleFields, schemas.SkuFields].map(({ properties }) => Object.keys(properties)),
    ).toEqual([['brand'], ['colour'], ['code', 'gtin']]);
    const { schemaErrors } = readerOf(document);
    const wrong = async (/** @type {string} */ target, /** @type {any} */ schema) =>
      schemaErrors(schema, JSON.parse(await text(target)));
    const ref = (/** @type {string} */ name) => ({ $ref: `#/components/schemas/${name}` });
    expect(
      await wrong('/products?count=20&include=features,offer,styles,related', {
        type: 'array',
        items: ref('ProductSummary'),
      }),
    ).toEqual([]);
    expect(await wrong('/products/3?include=styles,related', ref('Product'))).toEqual([]);
    expect(await wrong('/search?count=20', ref('SearchResult'))).toEqual([]);
    expect(
      await wrong('/products/1', { ...ref('Product'), properties: { fields: { required: ['nothing'] } } }),
    ).not.toEqual([]);
  });

  test('a load without fields takes them from replies and description until an unswap', async () => {
    const [before, description] = [await text('/products/1'), await text('/openapi.json')];
    fs.cpSync(example, plain, { recursive: true });
    fs.rmSync(path.join(plain, 'fields.json'));
    expect((await loaded.load('load', plain)).status).toBe(0);
    await until(async () => !(await text('/products/1')).includes('"fields"'));
    expect(await text('/openapi.json')).toBe(
      fs.readFileSync(path.join(__dirname, '../../server/openapi.json'), 'utf8'),
    );
    for (const target of ['/products', '/products/1/styles', '/search', '/export'])
      expect(await text(target)).not.toContain('"fields"');
    expect((await loaded.load('unswap')).status).toBe(0);
    await until(async () => (await text('/products/1')).includes('"fields"'));
    expect([await text('/products/1'), await text('/openapi.json')]).toEqual([before, description]);
  }, 60_000);
});
