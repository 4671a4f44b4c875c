'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { createRandom } = require('../../scripts/generate/random');
const { startService } = require('../helpers/app');
const { requestJson } = require('../helpers/http');
const { loadSample } = require('../helpers/sample');
const { SHOP } = require('../helpers/shops');
const { ask, ucpErrors } = require('../helpers/ucp');

/** Prices of the sample have two digits behind the point. @param {string} price */
const cents = (price) => Number(price.replace('.', ''));

describe('UCP of the generated sample', () => {
  const count = 2000;
  const below = createRandom(7);
  const pick = (/** @type {any[]} */ list) => list[below(list.length)];
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'ucp-'));
  /** @type {Awaited<ReturnType<typeof loadSample>>} */
  let database;
  /** @type {Awaited<ReturnType<typeof startService>>} */
  let app;
  /** @type {any[]} with offers and styles */
  const products = [];
  beforeAll(async () => {
    database = await loadSample(dir, count, undefined, true);
    app = await startService({ DATABASE_URL: database.dsn('api'), ...SHOP });
    for (let page = 1; page <= count / 100; page += 1)
      products.push(...(await get(`/products?include=offer,styles&count=100&page=${page}`)));
  }, 120_000);
  afterAll(async () => {
    await app?.close();
    await database?.drop();
    fs.rmSync(dir, { recursive: true });
  });

  /** @param {string} target @returns {Promise<any>} */
  async function get(target) {
    const { status, body } = await requestJson(app.url, target);
    expect([target, status]).toEqual([target, 200]);
    return body;
  }

  /** @returns {{ content: any, query: URLSearchParams }} one search in both forms */
  function randomSearch() {
    const content = /** @type {any} */ ({ filters: {}, pagination: { limit: 1 + below(60) } });
    const query = new URLSearchParams({ count: String(Math.min(50, content.pagination.limit)) });
    if (below(10) > 2) query.set('q', (content.query = pick(pick(products).name.split(' '))));
    if (below(3) === 0) {
      content.filters.categories = [pick(products).category, pick(products).category];
      for (const category of content.filters.categories) query.append('category', category);
    }
    if (below(3) === 0) {
      const [min, max] = [below(10_000), 5_000 + below(20_000)];
      content.filters.price = { min, max };
      query.set('min_price', (min / 100).toFixed(2));
      query.set('max_price', (max / 100).toFixed(2));
    }
    return { content, query };
  }

  test('200 random searches find what /search finds, on each of their first pages', async () => {
    let pages = 0;
    for (let round = 0; round < 200; round += 1) {
      const { content, query } = randomSearch();
      for (let page = 0; page < 2; page += 1) {
        const { total, items, next } = await get(`/search?${query}`);
        const { products: found, pagination } = await ask(app.url, 'search', content);
        expect(pagination.total_count).toBe(total);
        expect(found.map(summary)).toEqual(items.map(summaryOfCard));
        expect([pagination.has_next_page, 'cursor' in pagination]).toEqual([next !== null, next !== null]);
        const { min = 0, max = Infinity } = content.filters.price ?? {};
        for (const { variants } of found) {
          expect(variants[0].price.amount).toBeGreaterThanOrEqual(min);
          expect(variants[0].price.amount).toBeLessThanOrEqual(max);
        }
        pages += 1;
        if (next === null) break;
        query.set('after', next);
        content.pagination.cursor = pagination.cursor; // another: the prices asked are those that are rounded to the amounts
      }
    }
    expect(pages).toBeGreaterThan(250);
  }, 120_000);

  /** @param {any} product of UCP */
  const summary = ({ id, title, categories: [{ value }], price_range: { min, max } }) =>
    [id, title, value, min.amount, max.amount].join();
  /** @param {any} card */
  const summaryOfCard = ({ id, name, category, offer: { price, max_price: most } }) =>
    [`product-${id}`, name, category, cents(price), cents(most)].join();

  /** Offers of a product in the terms of its other replies. @param {any} product @returns {string[][]} */
  const forSale = ({ id, name, default_price: price, styles }) =>
    styles.length === 0
      ? [[`product-${id}`, name, cents(price), cents(price), false].map(String)]
      : styles.flatMap((/** @type {any} */ style) =>
          Object.entries(style.skus).map(([sku, { size, quantity }]) =>
            [
              sku === 'null' ? `product-${id}-style-${style.style_id}` : `sku-${sku}`,
              size === null ? style.name : `${style.name}, ${size}`,
              cents(style.sale_price ?? style.original_price),
              cents(style.original_price),
              quantity > 0,
            ].map(String),
          ),
        );
  /** @param {any} variant @returns {string[]} */
  const shown = ({ id, title, price, list_price: before = price, availability }) =>
    [id, title, price.amount, before.amount, availability.available].map(String);

  test('500 random products have all variants that /products/:id has', async () => {
    for (let round = 0; round < 500; round += 1) {
      const { id } = pick(products);
      const wanted = await get(`/products/${id}?include=styles,offer`);
      const { product } = await ask(app.url, 'product', { id: `product-${id}`, selected: [] });
      expect(product.variants.map(shown).sort()).toEqual(forSale(wanted).sort());
      const { name, description, fields, offer } = wanted;
      expect([product.title, product.description.plain, product.metadata]).toEqual([name, description, fields]);
      expect(product.variants[0].availability.available).toBe(offer.in_stock);
    }
  });

  test('each variant is found by its id, many at once, with the product of its own', async () => {
    for (let round = 0; round < 100; round += 1) {
      const some = Array.from({ length: 5 }, () => pick(products));
      const ids = some.flatMap((product) => [`product-${product.id}`, ...forSale(product).map(([id]) => id)]);
      const asked = [...new Set(ids)].slice(0, 50);
      const { products: found, messages } = await ask(app.url, 'lookup', { ids: asked });
      expect(messages).toBeUndefined();
      const inputs = found.flatMap((/** @type {any} */ { variants }) =>
        variants.flatMap((/** @type {any} */ one) => one.inputs),
      );
      expect(inputs.map((/** @type {any} */ { id }) => id).sort()).toEqual(asked.sort());
      for (const { id, variants } of found)
        for (const variant of variants)
          for (const { id: input, match } of variant.inputs)
            expect([input, match]).toEqual(input === id ? [id, 'featured'] : [variant.id, 'exact']);
    }
  });

  test('random selections leave the variants that have them, and options say which remain', async () => {
    const sold = products.filter(({ styles }) => styles.length > 1);
    for (let round = 0; round < 200; round += 1) {
      const id = `product-${pick(sold).id}`;
      const { product: all } = await ask(app.url, 'product', { id, selected: [] });
      const selected = pick(all.variants).options.slice(below(2));
      const { product } = await ask(app.url, 'product', { id, selected });
      const has = (/** @type {any} */ one, /** @type {any} */ wanted) =>
        one.options.some((/** @type {any} */ each) => JSON.stringify(each) === JSON.stringify(wanted));
      const fitting = all.variants.filter((/** @type {any} */ one) =>
        selected.every((/** @type {any} */ wanted) => has(one, wanted)),
      );
      expect(product.variants).toEqual(fitting);
      expect(product.selected).toEqual(selected);
      for (const { name, values } of product.options)
        for (const { available, exists, ...value } of values) {
          const others = selected.filter((/** @type {any} */ one) => one.name !== name);
          const beside = all.variants.filter((/** @type {any} */ one) =>
            [...others, { name, ...value }].every((wanted) => has(one, wanted)),
          );
          expect(exists).toBe(beside.length > 0);
          expect(available).toBe(beside.some((/** @type {any} */ one) => one.availability.available));
        }
    }
  });

  test('refuses a cursor of another search, and a query that is too long', async () => {
    const { pagination } = await ask(app.url, 'search', { pagination: { limit: 1 } });
    for (const content of [{ query: 'tee', pagination }, { query: 'x'.repeat(201) }]) {
      const response = await fetch(`${app.url}/ucp/catalog/search`, { method: 'POST', body: JSON.stringify(content) });
      const body = await response.json();
      expect([response.status, ucpErrors('error', body)]).toEqual([400, []]);
    }
  });

  test('does not apply a filter in another currency, and says so', async () => {
    const price = { min: 1, max: 2 };
    const { products: found, messages } = await ask(app.url, 'search', {
      filters: { price },
      context: { currency: 'USD' },
    });
    expect([found.length, messages.map((/** @type {any} */ { code }) => code)]).toEqual([10, ['price_filter_ignored']]);
    const applied = await ask(app.url, 'search', { filters: { price }, context: { currency: 'EUR' } });
    expect(applied.products).toEqual([]);
  });
});
