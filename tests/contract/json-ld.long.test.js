'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { Client } = require('pg');

const { createRandom } = require('../../scripts/generate/random');
const { startService, until } = require('../helpers/app');
const { requestJson } = require('../helpers/http');
const { schemaErrors } = require('../helpers/openapi');
const { loadSample } = require('../helpers/sample');
const { SHOP } = require('../helpers/shops');
const { writesOn } = require('../helpers/writes');

/** @param {any} group JSON-LD @returns {object} what the offer of a card says as well */
function offerIn({ hasVariant }) {
  const offers = hasVariant.map((/** @type {any} */ variant) => variant.offers);
  const prices = offers
    .map((/** @type {any} */ { price }) => price)
    .sort((/** @type {any} */ a, /** @type {any} */ b) => a - b);
  return {
    price: prices[0],
    max_price: prices.at(-1),
    in_stock: offers.some((/** @type {any} */ { availability }) => availability === 'https://schema.org/InStock'),
  };
}

describe('JSON-LD of the generated sample, with fields of its own', () => {
  const products = 2000;
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'json-ld-'));
  /** @type {Awaited<ReturnType<typeof loadSample>>} */
  let database;
  /** @type {Awaited<ReturnType<typeof startService>>} */
  let app;
  beforeAll(async () => {
    database = await loadSample(dir, products, undefined, true);
    app = await startService({ DATABASE_URL: database.dsn('api'), ...SHOP });
  }, 60_000);
  afterAll(async () => {
    await app?.close();
    await database?.drop();
    fs.rmSync(dir, { recursive: true });
  });

  /** Over connections that stay open. @param {string} target */
  async function textOf(target) {
    const response = await fetch(app.url + target);
    expect([target, response.status]).toEqual([target, 200]);
    return response.text();
  }

  /** Compares the JSON-LD of a product with its other replies. @param {any} product with its offer and styles @returns {Promise<any>} the JSON-LD */
  async function compared({ id, offer, styles }) {
    const [plain, text] = await Promise.all(['', '?include=jsonld'].map((query) => textOf(`/products/${id}${query}`)));
    expect(text.slice(0, plain.length - 1)).toBe(plain.slice(0, -1));
    expect(text.slice(plain.length - 1)).toMatch(/^,"jsonld":\{"@context":"https:\/\/schema\.org"/);
    const { jsonld } = JSON.parse(text);
    const { price, max_price, in_stock } = offer;
    expect({ id, ...offerIn(jsonld) }).toEqual({ id, price, max_price, in_stock });
    const ids = styles.map((/** @type {any} */ { style_id: style }) => String(style));
    const variants = jsonld.hasVariant.map((/** @type {any} */ { productID }) => productID);
    expect(variants).toEqual(ids.length > 0 ? ids : [undefined]);
    return jsonld;
  }

  /** @param {number} [after] @returns {Promise<any[]>} products after an id */
  async function productsAfter(after) {
    const start = after ? `after=${after}` : 'page=1';
    const some = JSON.parse(await textOf(`/products?${start}&count=100&include=offer,styles`));
    return some.length === 0 ? some : [...some, ...(await productsAfter(some.at(-1).id))];
  }

  test('has the price and the stock of each card, and a variant for each style', async () => {
    const all = await productsAfter();
    expect(all.length).toBe(products);
    const groups = [];
    for (let at = 0; at < products; at += 50) groups.push(...(await Promise.all(all.slice(at, at + 50).map(compared))));
    const schema = { type: 'array', items: { $ref: '#/components/schemas/ProductGroup' } };
    expect(schemaErrors(schema, groups)).toEqual([]);
    expect(all.some(({ styles }) => styles.length === 0)).toBe(true);
    expect(new Set(all.map(({ offer }) => offer.in_stock)).size).toBe(2);
  });

  test('stays equal to the card after random prices and quantities were written', async () => {
    const client = new Client({ connectionString: database.superuserDsn });
    await client.connect();
    const below = createRandom(11);
    const all = await productsAfter();
    const changed = Array.from({ length: 50 }, () => all[below(all.length)].id);
    for (const id of changed) {
      await client.query(
        `UPDATE catalog.skus SET quantity = (random() < 0.3)::int WHERE style_id IN (SELECT id FROM catalog.styles WHERE product_id = ${id})`,
      );
      await client.query(
        `UPDATE catalog.styles SET sale_price = round(random()::numeric * 100, 2) WHERE product_id = ${id}`,
      );
      await writesOn(client).rename(id, 'Written');
    }
    await client.end();
    const last = changed.at(-1);
    await until(async () => (await textOf(`/products/${last}?include=offer`)).includes('"name":"Written"'));
    for (const id of changed) await compared(JSON.parse(await textOf(`/products/${id}?include=offer,styles`)));
  });

  test('is the last key, beside any other include', async () => {
    const names = 'offer,styles,related,related_ids';
    for (const id of [1, 2, 3, 11]) {
      const { text: alone } = await requestJson(app.url, `/products/${id}?include=jsonld`);
      const { text: others } = await requestJson(app.url, `/products/${id}?include=${names}`);
      const { text } = await requestJson(app.url, `/products/${id}?include=jsonld,${names}`);
      expect(text).toBe(`${others.slice(0, -1)}${alone.slice(alone.indexOf(',"jsonld":{'))}`);
    }
  });
});
