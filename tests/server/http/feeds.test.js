'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { Ajv2020 } = require('ajv/dist/2020');

const { COLUMNS } = require('../../../server/catalog/google-feed');
const { serveCatalog, startService } = require('../../helpers/app');
const { request } = require('../../helpers/http');
const { loadSample } = require('../../helpers/sample');
const { SHOP } = require('../../helpers/shops');

const address = { type: 'string', pattern: '^https?://[^\\s,]+$' };
const money = { type: 'string', pattern: '^\\d+\\.\\d\\d EUR$' };
const text = { type: 'string', pattern: '^\\S.*$' };
const texts = { type: 'array', items: address, minItems: 1 };
/** OpenAI's rules of its fields, but that an item may lack a picture and a description, as products of a catalog do. */
const isItem = new Ajv2020({ allErrors: true }).compile({
  type: 'object',
  additionalProperties: false,
  required: ['item_id', 'title', 'url', 'brand', 'seller_name', 'availability', 'price', 'is_eligible_search'],
  properties: {
    ...Object.fromEntries(
      ['item_id', 'brand', 'seller_name', 'group_id', 'product_category', 'color', 'size'].map((name) => [name, text]),
    ),
    ...Object.fromEntries(['url', 'seller_url', 'image_url'].map((name) => [name, address])),
    title: { ...text, maxLength: 150 },
    description: { ...text, maxLength: 5000 },
    additional_image_urls: texts,
    availability: { enum: ['in_stock', 'out_of_stock'] },
    price: money,
    sale_price: money,
    listing_has_variations: { const: true },
    variant_dict: { type: 'object', additionalProperties: text, minProperties: 1 },
    gtin: text,
    condition: { const: 'new' },
    is_eligible_search: { const: true },
    is_eligible_checkout: { const: false },
  },
  dependentRequired: { group_id: ['listing_has_variations', 'variant_dict'], additional_image_urls: ['image_url'] },
});
/** Columns of Google, and the fields of OpenAI with the same values. */
const SAME = {
  id: 'item_id',
  title: 'title',
  description: 'description',
  link: 'url',
  image_link: 'image_url',
  availability: 'availability',
  price: 'price',
  sale_price: 'sale_price',
  brand: 'brand',
  gtin: 'gtin',
  color: 'color',
  size: 'size',
  product_type: 'product_category',
};

/** @param {string} text @returns {string} a value as a reader of TSV has it */
const valueOf = (text) => (text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text);

/** @param {string} body @returns {Record<string, string>[]} */
function rowsIn(body) {
  const [head, ...lines] = body.trimEnd().split('\n');
  expect(head.split('\t')).toEqual(Object.keys(COLUMNS));
  return lines.map((line) => {
    const values = line.split('\t');
    expect(values).toHaveLength(Object.keys(COLUMNS).length);
    return Object.fromEntries(values.map((value, place) => [Object.keys(COLUMNS)[place], valueOf(value)]));
  });
}

describe('the feeds of the sample, with fields of its own', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'feeds-'));
  /** @type {Awaited<ReturnType<typeof loadSample>>} */
  let database;
  /** @type {Awaited<ReturnType<typeof startService>>} */
  let app;
  beforeAll(async () => {
    database = await loadSample(dir, 200, undefined, true);
    app = await startService({ DATABASE_URL: database.dsn('api'), ...SHOP });
  }, 60_000);
  afterAll(async () => {
    await app?.close();
    await database?.drop();
    fs.rmSync(dir, { recursive: true });
  });

  /** @returns {Promise<any[]>} */
  const whole = async () => {
    const body = await (await fetch(`${app.url}/export?view=full`)).text();
    return body
      .trimEnd()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  };
  const google = async () => rowsIn(await (await fetch(`${app.url}/feeds/google.tsv`)).text());

  test("Google's has a row for each sku, with the price and the stock of its style", async () => {
    const products = await whole();
    const wanted = products.flatMap((/** @type {any} */ { id, styles, default_price: price }) =>
      styles.length === 0
        ? [[`product-${id}`, `product-${id}`, 'out_of_stock', `${Number(price).toFixed(2)} EUR`, '', '']]
        : styles.flatMap((/** @type {any} */ style) => {
            const [before, now] = [style.original_price, style.sale_price ?? style.original_price].map(Number);
            return Object.entries(style.skus).map(([sku, { quantity, size }]) => [
              sku === 'null' ? `product-${id}-style-${style.style_id}` : `sku-${sku}`,
              `product-${id}`,
              quantity > 0 ? 'in_stock' : 'out_of_stock',
              `${Math.max(before, now).toFixed(2)} EUR`,
              before > now ? `${now.toFixed(2)} EUR` : '',
              size ?? '',
            ]);
          }),
    );
    const found = (await google()).map((row) =>
      ['id', 'item_group_id', 'availability', 'price', 'sale_price', 'size'].map((name) => row[name]),
    );
    expect(found.sort()).toEqual(wanted.sort());
    expect(found.length).toBeGreaterThan(products.length);
  });

  test("Google's has brand, gtin and colour of fields of its own, and texts in one line", async () => {
    const rows = await google();
    const products = await whole();
    for (const { id, name, description, fields, styles } of products)
      for (const style of styles)
        for (const [sku, { fields: own }] of Object.entries(style.skus)) {
          const row = rows.find(
            (one) => one.id === (sku === 'null' ? `product-${id}-style-${style.style_id}` : `sku-${sku}`),
          );
          expect(row).toMatchObject({
            brand: fields.brand ?? SHOP.SHOP_NAME,
            gtin: own?.gtin ?? '',
            identifier_exists: own?.gtin ? 'yes' : 'no',
            color: style.fields.colour ?? style.name,
            description: description.replace(/\s+/g, ' ').trim(),
            link: expect.stringMatching(new RegExp(`^https://shop\\.example/p/.*${id}\\?a=1&b=2$`)),
          });
          expect(row?.title.startsWith(name.replace(/\s+/g, ' ').trim().slice(0, 100))).toBe(true);
        }
  });

  /** @param {string} url @returns {Promise<any[]>} */
  const openai = async (url) => {
    const response = await fetch(`${url}/feeds/openai.jsonl`);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    return (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };

  test("OpenAI's has what Google's says of each variant, in the form of its specification", async () => {
    const items = await openai(app.url);
    expect(items.flatMap((item) => (isItem(item) ? [] : [[item, isItem.errors]]))).toEqual([]);
    const shown = items.map((item) => Object.values(SAME).map((name) => [item[name] ?? ''].flat().join()));
    const wanted = (await google()).map((row) => Object.keys(SAME).map((name) => row[name]));
    expect(shown).toEqual(wanted);
  });

  test("OpenAI's tells variants of a product apart, and has no group of one", async () => {
    /** @type {Map<string, any[]>} */
    const groups = new Map();
    for (const item of await openai(app.url)) groups.set(item.url, [...(groups.get(item.url) ?? []), item]);
    const alone = [...groups.values()].filter((items) => items.length === 1);
    const several = [...groups.values()].filter((items) => items.length > 1);
    for (const [item] of alone)
      for (const name of ['group_id', 'listing_has_variations', 'variant_dict']) expect(item).not.toHaveProperty(name);
    for (const items of several) {
      expect(new Set(items.map(({ group_id: id }) => id)).size).toBe(1);
      for (const { item_id: id, group_id: group, variant_dict: options, size } of items)
        expect([group === id, options.style.length > 0, options.size]).toEqual([false, true, size]);
    }
    expect([alone.length > 0, several.length > 0]).toEqual([true, true]);
  });

  test("OpenAI's names the country of the shop, if there is one", async () => {
    const [item] = await openai(app.url);
    expect(item).not.toHaveProperty('store_country');
    const named = await startService({ DATABASE_URL: database.dsn('api'), ...SHOP, SHOP_COUNTRY: 'DE' });
    try {
      expect((await openai(named.url))[0]).toEqual({ ...item, target_countries: ['DE'], store_country: 'DE' });
    } finally {
      await named.close();
    }
  });

  test.each(['/feeds/google.tsv', '/feeds/openai.jsonl'])(
    '%s answers HEAD and a parameter as an export does',
    async (target) => {
      expect((await request(app.url, { path: target, method: 'HEAD' })).status).toBe(200);
      expect((await request(app.url, { path: `${target}?x=1` })).status).toBe(400);
      const metrics = await fetch(`${app.adminUrl}/metrics`).then((reply) => reply.text());
      expect(metrics).toMatch(/^catalog_replies_total\{route="feed",status="200"\} \d+$/m);
    },
  );
});

describe('without the profile of a shop', () => {
  const served = serveCatalog();

  test.each(['/feeds/google.tsv', '/feeds/openai.jsonl'])(
    'there is no %s, and the reply says what to set',
    async (target) => {
      const { status, body } = await request(served.app.url, { path: target });
      expect([status, body]).toEqual([
        404,
        expect.stringContaining('Feeds need the profile of the shop: set SHOP_NAME'),
      ]);
    },
  );
});
