'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { COLUMNS } = require('../../../server/catalog/google-feed');
const { serveCatalog, startService } = require('../../helpers/app');
const { request } = require('../../helpers/http');
const { loadSample } = require('../../helpers/sample');
const { SHOP } = require('../../helpers/shops');

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

describe("Google's feed of the sample, with fields of its own", () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'google-feed-'));
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
  const feed = async () => rowsIn(await (await fetch(`${app.url}/feeds/google.tsv`)).text());

  test('has a row for each sku, with the price and the stock of its style', async () => {
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
    const found = (await feed()).map((row) =>
      ['id', 'item_group_id', 'availability', 'price', 'sale_price', 'size'].map((name) => row[name]),
    );
    expect(found.sort()).toEqual(wanted.sort());
    expect(found.length).toBeGreaterThan(products.length);
  });

  test('has brand, gtin and colour of fields of its own, and texts in one line', async () => {
    const rows = await feed();
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

  test('answers HEAD and a parameter as an export does', async () => {
    expect((await request(app.url, { path: '/feeds/google.tsv', method: 'HEAD' })).status).toBe(200);
    expect((await request(app.url, { path: '/feeds/google.tsv?x=1' })).status).toBe(400);
    const metrics = await fetch(`${app.adminUrl}/metrics`).then((reply) => reply.text());
    expect(metrics).toMatch(/^catalog_replies_total\{route="feed",status="200"\} \d+$/m);
  });
});

describe('without the profile of a shop', () => {
  const served = serveCatalog();

  test('there is no feed, and the reply says what to set', async () => {
    const { status, body } = await request(served.app.url, { path: '/feeds/google.tsv' });
    expect([status, body]).toEqual([404, expect.stringContaining('Feeds need the profile of the shop: set SHOP_NAME')]);
  });
});
