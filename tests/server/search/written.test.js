'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { Client } = require('pg');

const { startService, until } = require('../../helpers/app');
const { ask, expectExact } = require('../../helpers/exact-searches');
const { rowWritesOn } = require('../../helpers/row-writes');
const { loadSample } = require('../../helpers/sample');

const PRODUCTS = 300;
const FACETS =
  'facets=category&facets=price&facets=size&facets=on_sale&facets=in_stock&facets=feature&facet_values=500';
const TARGETS = [
  `/search?count=1000&${FACETS}`,
  `/search?${FACETS}&in_stock=true`,
  `/search?q=jacket&${FACETS}`,
  ...['price', '-price', 'name', '-name', 'newest'].map((sort) => `/search?count=1000&sort=${sort}`),
  ...['zyxwv', 'zyxw', 'zyxvw', '手袋', '手', 'zyxwvs', 'jackets', 'jackte', 'coton', '-jackets', 'camo -parka'].map(
    (q) => `/search?q=${q}&${FACETS}`,
  ),
  'category=Gloves',
  'feature.Warmth=high',
  'size=Tiny&in_stock=true',
  'on_sale=true',
  'min_price=20&max_price=90.5',
].map((target) => (target.startsWith('/') ? target : `/search?count=1000&${target}&${FACETS}`));
const SUGGESTIONS = ['j', 'zy', 'glo', 'camo ja', '手'].map((q) => `/suggest?q=${q}`);

/** @typedef {Awaited<ReturnType<typeof startService>>} App */

describe('what is written after a load', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'written-'));
  /** @type {Awaited<ReturnType<typeof loadSample>>} */
  let database;
  /** @type {App} */
  let app;
  /** @type {Client} */
  let client;
  /** @type {ReturnType<typeof rowWritesOn>} */
  let write;
  beforeAll(async () => {
    database = await loadSample(dir, PRODUCTS);
    app = await startService({ DATABASE_URL: database.dsn('api'), VERSION_POLL_MS: 50 });
    client = new Client({ connectionString: database.superuserDsn });
    await client.connect();
    write = rowWritesOn(client);
  }, 60_000);
  afterAll(async () => {
    await app?.close();
    await client?.end();
    await database?.drop();
    fs.rmSync(dir, { recursive: true });
  });

  /** @param {App} from @param {number} seq */
  const expectAll = (from, seq) => expectExact(client, from, { seq, searches: TARGETS, suggestions: SUGGESTIONS });

  /** @param {number[]} ids @param {string} sql */
  async function writeAndCompare(ids, sql) {
    const seq = await write(ids, sql);
    await until(async () => (await ask(app, '/search?count=0')).cursor === `1.${seq}`);
    await expectAll(app, seq);
    return seq;
  }

  test('is what searches find, each as of one commit', async () => {
    const { cursor } = await ask(app, '/search?count=0');
    await expectAll(app, Number(cursor.slice(2)));
    await writeAndCompare([5], `UPDATE catalog.products SET name = 'Zyxwv 手袋', category = 'Gloves' WHERE id = 5`);
    await writeAndCompare(
      [6, 9],
      `UPDATE catalog.styles SET original_price = 77.7, sale_price = NULL WHERE product_id = 6;
       UPDATE catalog.products SET default_price = 3, slogan = 'zyxwv' WHERE id = 9;
       INSERT INTO catalog.features (id, product_id, position, feature, value) VALUES (900000, 9, 1, 'Warmth', 'high')`,
    );
    await writeAndCompare(
      [11, 12],
      'UPDATE catalog.skus SET quantity = 1 - least(quantity, 1) FROM catalog.styles WHERE styles.id = style_id AND product_id IN (11, 12)',
    );
    const created = (/** @type {number} */ id, /** @type {string} */ name) => `
      INSERT INTO catalog.products (id, name, slogan, description, category, default_price)
      VALUES (${id}, '${name}', 'zyxwv', 'camo', 'Gloves', 20.50);
      INSERT INTO catalog.styles (id, product_id, name, original_price, is_default) VALUES (8000000 + ${id}, ${id}, 'Tiny', 20.5, true);
      INSERT INTO catalog.skus (id, style_id, size, quantity) VALUES (8000000 + ${id}, 8000000 + ${id}, 'Tiny', 1);`;
    const removed = (/** @type {number} */ id) => `
      DELETE FROM catalog.skus USING catalog.styles WHERE styles.id = style_id AND product_id = ${id};
      DELETE FROM catalog.photos USING catalog.styles WHERE styles.id = style_id AND product_id = ${id};
      DELETE FROM catalog.styles WHERE product_id = ${id}; DELETE FROM catalog.features WHERE product_id = ${id};
      DELETE FROM catalog.related WHERE product_id = ${id}; DELETE FROM catalog.products WHERE id = ${id}`;
    await writeAndCompare([900001, 900000], created(900001, 'aaa') + created(900000, 'ZZZ'));
    await writeAndCompare([900001, 20], `${removed(900001)};${removed(20)}`);
    await writeAndCompare([20], created(20, 'Again 20'));
    const seq = await writeAndCompare(
      [5],
      `UPDATE catalog.products SET name = 'Camo', category = 'Jackets' WHERE id = 5`,
    );

    const late = await startService({ DATABASE_URL: database.dsn('api') });
    try {
      await expectAll(late, seq);
    } finally {
      await late.close();
    }
  }, 60_000);
});
