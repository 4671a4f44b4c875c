'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { Client } = require('pg');

const { startService } = require('../helpers/app');
const { beginExport, linesOf } = require('../helpers/exports');
const { requestJson } = require('../helpers/http');
const { loadSample } = require('../helpers/sample');

const products = 300;
const includes = ['features', 'offer', 'styles', 'related', 'related_ids'];

describe.each([
  ['', false],
  [' with fields of its own', true],
])('a product with includes is its own reply with more keys, over the whole generated sample%s', (_, fields) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'composition-'));
  /** @type {Awaited<ReturnType<typeof loadSample>>} */
  let database;
  /** @type {Awaited<ReturnType<typeof startService>>} */
  let app;
  /** Replies of the routes without includes, by id. @type {Map<number, { product: string, styles: string, related: string }>} */
  const alone = new Map();
  /** Cards by id, as the database has them. @type {Map<number, { head: string, offer: string, fields: string | null }>} */
  const cards = new Map();

  beforeAll(async () => {
    database = await loadSample(dir, products, undefined, fields);
    app = await startService({ DATABASE_URL: database.dsn('api') });
    const rows = await fetchJson('/products?count=20000');
    for (const { id } of rows) {
      const [product, styles, related] = await Promise.all(
        ['', '/styles', '/related'].map((tail) => text(`/products/${id}${tail}`)),
      );
      alone.set(id, { product, styles, related });
    }
    const client = new Client({ connectionString: database.superuserDsn });
    await client.connect();
    const read = await client.query('SELECT id, head, offer, fields FROM catalog.cards').finally(() => client.end());
    for (const { id, ...card } of read.rows) cards.set(id, card);
  }, 60_000);
  afterAll(async () => {
    await app?.close();
    await database?.drop();
    fs.rmSync(dir, { recursive: true });
  });

  /** @param {string} target */
  async function text(target) {
    const reply = await requestJson(app.url, target);
    expect(reply.status).toBe(200);
    return reply.text;
  }

  /** @param {string} target */
  const fetchJson = async (target) => JSON.parse(await text(target));

  /** The keys that an include adds, as text, made of the replies of other routes. @param {number} id @param {string} name @returns {string} */
  function partOf(id, name) {
    const { product, styles, related } = /** @type {NonNullable<ReturnType<typeof alone.get>>} */ (alone.get(id));
    if (name === 'fields') return fields ? product.slice(product.lastIndexOf(',"fields":{'), -1) : '';
    if (name === 'features')
      return product.slice(product.lastIndexOf(',"features":['), -1 - partOf(id, 'fields').length);
    if (name === 'offer') return `,"offer":${cards.get(id)?.offer}`;
    if (name === 'styles') return `,"styles":${styles.slice(`{"product_id":"${id}","results":`.length, -1)}`;
    if (name === 'related_ids') return `,"related_ids":${related}`;
    const shown = [...new Set(/** @type {number[]} */ (JSON.parse(related)))].filter((each) => each !== id);
    const list = shown.flatMap((each) => cards.get(each) ?? []).slice(0, 50);
    const cardOf = (/** @type {typeof list[0]} */ { head, offer, fields: own }) =>
      `${head},"offer":${offer}${own ? `,"fields":${own}` : ''}}`;
    return `,"related":[${list.map(cardOf)}]`;
  }

  /** @param {number} id @param {string[]} names in the order of the contract, features among them or not */
  function elementOf(id, names) {
    const { product = '' } = alone.get(id) ?? {};
    const head = product.slice(0, product.lastIndexOf(',"features":['));
    const [own, others] = [names.filter((name) => name === 'features'), names.filter((name) => name !== 'features')];
    return `${head}${[...own, 'fields', ...others].map((name) => partOf(id, name)).join('')}}`;
  }

  /** Each alone, neighbours, and all of them. */
  const combinations = [
    ...includes.map((name) => [name]),
    ['offer', 'styles'],
    ['styles', 'related_ids'],
    ['features', 'related'],
    includes,
  ];

  test.each(combinations.filter((names) => names[0] !== 'features').map((names) => [names]))(
    'one product with %j',
    async (names) => {
      for (const id of alone.keys()) {
        const body = await text(`/products/${id}?include=${names}`);
        expect(body.startsWith(String(alone.get(id)?.product.slice(0, -1)))).toBe(true);
        expect(body).toBe(elementOf(id, ['features', ...names]));
      }
    },
  );

  test.each(combinations.map((names) => [names]))('lists and batches with %j', async (names) => {
    const ids = [...alone.keys()];
    for (let at = 0; at < ids.length; at += 100) {
      const some = ids.slice(at, at + 100);
      const wanted = `[${some.map((id) => elementOf(id, names))}]`;
      expect(await text(`/products?page=${at / 100 + 1}&count=100&include=${names}`)).toBe(wanted);
      if (at > 0) expect(await text(`/products?after=${ids[at - 1]}&count=100&include=${names}`)).toBe(wanted);
      expect(await text(`/products?include=${names}&ids=${some}`)).toBe(wanted);
    }
  });

  test('a batch of 500 ids has the elements of lists, and with features the products themselves', async () => {
    const all = [...alone.keys()].reverse();
    const ids = [...all, ...all].slice(0, 500);
    expect(await text(`/products?ids=${ids}`)).toBe(`[${ids.map((id) => elementOf(id, []))}]`);
    expect(await text(`/products?ids=${ids}&include=features`)).toBe(`[${ids.map((id) => alone.get(id)?.product)}]`);
  });

  test('a full export has the reply of each product with its styles and related ids', async () => {
    const { lines, end } = linesOf(await (await beginExport(app.url, 'view=full')).rest());
    expect(lines).toEqual(
      await Promise.all([...alone.keys()].map((id) => text(`/products/${id}?include=styles,related_ids`))),
    );
    expect(end).toMatchObject({ count: alone.size, changed: false });
  });

  test('some product of the sample is related to itself, one has repeats, and one has none', () => {
    const lists = [...alone].map(([id, { related }]) => ({
      id,
      related: /** @type {number[]} */ (JSON.parse(related)),
    }));
    expect(lists.some(({ id, related }) => related.includes(id))).toBe(true);
    expect(lists.some(({ related }) => new Set(related).size < related.length)).toBe(true);
    expect(lists.some(({ related }) => related.length === 0)).toBe(true);
  });
});
