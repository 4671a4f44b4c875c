'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { Redis } = require('ioredis');

const { startNginx } = require('../../../scripts/local/nginx');
const { serveCatalog, startService, until } = require('../../helpers/app');
const { beginExport, linesOf } = require('../../helpers/exports');
const { request, requestJson } = require('../../helpers/http');
const { loadSample } = require('../../helpers/sample');
const { picking, seeded } = require('../../helpers/search-products');
const { withClient } = require('../../../scripts/local/roles');
const { freePort, redisUrl } = require('../../helpers/servers');

/** @param {string} word @param {(limit: number) => number} below a random number */
function editedOnce(word, below) {
  const at = 1 + below(word.length - 1); // the first letter is right
  const [before, [one, ...rest], letter] = [word.slice(0, at), word.slice(at), String.fromCharCode(97 + below(26))];
  const ways = [[letter, one, ...rest], rest, [letter, ...rest], [rest[0] ?? '', one, ...rest.slice(1)]];
  return before + ways[below(ways.length)].join('');
}

describe('a search of the generated sample', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'search-'));
  fs.chmodSync(dir, 0o711); // nginx's own workers, "nobody" when we are root, pass through it
  const prefix = `search-${process.pid}:`;
  /** @type {Awaited<ReturnType<typeof loadSample>>} */
  let database;
  /** @type {Awaited<ReturnType<typeof startService>>} */
  let app;
  /** @type {any[]} all products, in id order */
  let cards;
  beforeAll(async () => {
    database = await loadSample(dir, 300);
    app = await startService({ DATABASE_URL: database.dsn('api'), REDIS_URL: redisUrl(), REDIS_KEY_PREFIX: prefix });
    cards = linesOf(await (await beginExport(app.url, 'view=card')).rest()).lines.map((line) => JSON.parse(line));
  }, 60_000);
  afterAll(async () => {
    await app?.close();
    await database?.drop();
    fs.rmSync(dir, { recursive: true });
  });
  const get = (/** @type {string} */ target) => requestJson(app.url, target);
  const idsOf = (/** @type {any[]} */ items) => items.map(({ id }) => id);

  test('has the cards of the catalog, and totals that obey filters', async () => {
    const all = await get('/search?count=1000');
    expect([all.status, all.body.total]).toEqual([200, cards.length]);
    expect(all.body.items).toEqual(cards);
    const wanted = cards.filter(
      ({ category, offer }) =>
        ['Jackets', 'Pants'].includes(category) &&
        offer.on_sale &&
        offer.sizes.includes('M') &&
        Number(offer.price) <= 300,
    );
    expect(wanted.length).toBeGreaterThan(3);
    const { body } = await get(
      '/search?category=Jackets&category=Pants&on_sale=true&in_stock=true&size=M&max_price=300&count=1000&facets=category',
    );
    expect([body.total, idsOf(body.items)]).toEqual([wanted.length, idsOf(wanted)]);
    const selected = body.facets[0].values.filter((/** @type {any} */ one) => one.selected);
    expect(selected.reduce((/** @type {number} */ sum, /** @type {any} */ { count }) => sum + count, 0)).toBe(
      wanted.length,
    );
  });

  test.each(['price', '-price', 'name', 'newest', 'id'])(
    'walks all products once by page and by cursor: %s',
    async (sort) => {
      /** @type {number[]} */
      const byPage = [];
      for (let page = 1; byPage.length < cards.length; page += 1)
        byPage.push(...idsOf((await get(`/search?sort=${sort}&count=70&page=${page}`)).body.items));
      /** @type {number[]} */
      const byCursor = [];
      for (let after = ''; ;) {
        const { items, next } = (await get(`/search?sort=${sort}&count=70${after}`)).body;
        byCursor.push(...idsOf(items));
        if (next === null) break;
        after = `&after=${next}`;
      }
      expect([new Set(byPage).size, byPage.length]).toEqual([cards.length, cards.length]);
      expect(byCursor).toEqual(byPage);
    },
  );

  test('in any order of parameters and spelling of words is one reply', async () => {
    const queries = [
      'q=Jack%C3%89t&category=Jackets&category=Pants&facets=size,category',
      'facets=category&category=Pants&category=Jackets&facets=size&q=jacket&category=Pants&utm_source=x',
    ];
    const [one, other] = await Promise.all(queries.map((query) => get(`/search?${query}`)));
    expect([one.status, one.headers.etag, one.body]).toEqual([200, other.headers.etag, other.body]);
    expect(one.body.total).toBeGreaterThan(0);
    expect(one.headers['catalog-version']).toBe(app.service.health().parts.version);
  });

  test('is in Redis only after its second request', async () => {
    const redis = new Redis(redisUrl());
    const stored = () => redis.keys(`${prefix}*/searches/*`);
    try {
      const before = (await stored()).length;
      // Between two of them so many others that L1 has dropped the first.
      const others = async () => {
        for (let max = 1; max <= 40; max += 1) await get(`/search?count=1&max_price=${max}`);
      };
      await get('/search?q=parka&count=3');
      await others();
      expect((await stored()).length).toBe(before);
      await get('/search?q=parka&count=3');
      await until(async () => (await stored()).length > before);
    } finally {
      redis.disconnect();
    }
  });

  test('refuses a thousand at once beyond its limit, while documents are answered', async () => {
    const replies = await withClient(database.superuserDsn, async (client) => {
      await client.query('BEGIN; LOCK TABLE catalog.search_sets');
      const refused = new Set();
      const searches = Array.from({ length: 1000 }, async (_, index) => {
        // The set of a beginning of three letters is read, whether or not there is one.
        const { status, headers, body } = await get(`/search?q=${(1296 + index).toString(36)}`);
        if (status === 503) refused.add(index);
        return { status, retryAfter: headers['retry-after'], detail: body.detail };
      });
      await until(() => refused.size === 900);
      expect((await get('/products/1')).status).toBe(200);
      await client.query('COMMIT');
      return Promise.all(searches);
    });
    const refusal = { status: 503, retryAfter: '1', detail: 'Too many searches are under way. Retry after 1 s.' };
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(100);
    expect(replies.filter(({ status }) => status !== 200)).toEqual(Array(900).fill(refusal));
    expect((await get('/search?q=xyz')).status).toBe(200);
  }, 60_000);

  test.each([
    ['odeg', 'Ødegård'],
    ['seno', 'Señor'],
    ['anorak', 'Anorak'],
    ['softens', 'softens'],
  ])('shows what begins with %s as texts mostly write it: %s', async (q, written) => {
    expect((await get(`/suggest?q=${q}`)).body.words[0].value).toBe(written);
    expect((await get(`/search?count=0&q=${q}`)).body.query.words[0].shown[0]).toBe(written);
  });

  test('completes the last part of what signs join', async () => {
    const values = (/** @type {any} */ { body }) => body.words.map((/** @type {any} */ { value }) => value);
    expect(values(await get('/suggest?q=blue-park'))).toEqual(values(await get('/suggest?q=blue%20park')));
    expect(values(await get('/suggest?q=blue-park'))).toContain('Parka');
  });

  test('finds the word that was meant after one random edit, for 99 % of 1,000 words of names', async () => {
    const blob = `SELECT convert_from(body, 'UTF8') AS words FROM catalog.search_blobs WHERE name = 'words'`;
    const [{ words }] = await withClient(database.superuserDsn, async (client) => (await client.query(blob)).rows);
    const lines = words.split('\n').map((/** @type {string} */ line) => line.split('\t'));
    const vocabulary = lines.map((/** @type {string[]} */ [word]) => word);
    const names = lines.filter(
      (/** @type {string[]} */ [word, count]) => /^[a-z]{5,}$/.test(word) && Number(count) > 0,
    );
    const { below } = picking(seeded(9));
    /** @type {{ word: string, typed: string }[]} */
    const edits = [];
    while (edits.length < 1000) {
      const [word] = names[below(names.length)];
      const typed = editedOnce(word, below);
      if (!vocabulary.some((/** @type {string} */ each) => each.startsWith(typed))) edits.push({ word, typed });
    }
    /** @type {typeof edits} */
    const missed = [];
    for (let from = 0; from < edits.length; from += 50) {
      const ask = async (/** @type {(typeof edits)[number]} */ edit) => {
        const [found] = (await get(`/search?count=0&q=${edit.typed}`)).body.query.words;
        if (!found?.as.includes(edit.word)) missed.push(edit);
      };
      await Promise.all(edits.slice(from, from + 50).map(ask));
    }
    expect(missed.slice(10)).toEqual([]);
  }, 60_000);

  test.each([
    ['a NUL', '/search?size=%00'],
    ['characters outside ASCII', '/search?size=%E3%83%87%F0%9F%98%80'],
    [
      'many long values',
      `/search?${Array.from({ length: 70 }, (_, index) => `size=${index}${'%C3%A9'.repeat(14)}`).join('&')}`,
    ],
  ])('a value with %s matches nothing', async (_, target) => {
    const { status, body } = await get(target);
    expect([status, body.total, body.items]).toEqual([200, 0, []]);
  });

  test('suggests words, categories and cards', async () => {
    const { body } = await get('/suggest?q=jack&count=3');
    expect(body.words[0]).toEqual({ value: 'Jackets', count: expect.any(Number) });
    expect(body.categories.map((/** @type {any} */ { value }) => value)).toEqual(['Jackets']);
    expect(body.cards).toEqual((await get('/search?q=jack&count=3')).body.items);
  });

  test('the catalog has its facets, prices, sorts and limits', async () => {
    const { body } = await get('/catalog');
    const prices = cards.map(({ offer }) => Number(offer.price));
    expect(body.products).toBe(cards.length);
    expect([Number(body.price.min), Number(body.price.max)]).toEqual([Math.min(...prices), Math.max(...prices)]);
    expect(body.facets.map((/** @type {any} */ { name }) => name).slice(0, 5)).toEqual([
      'category',
      'price',
      'size',
      'on_sale',
      'in_stock',
    ]);
    expect(body.sorts).toContain('-price');
    expect(body.limits).toMatchObject({ count: 1000, facet_values: 500, q_words: 10, q_characters: 200 });
  });

  test('nginx keeps a reply for each URL, and its log has no text that was searched', async () => {
    const port = await freePort();
    const nginx = await startNginx({ dir, port, workers: [new URL(app.url).host] });
    const log = path.join(dir, 'logs', 'nginx-access.log');
    try {
      const url = `http://127.0.0.1:${port}`;
      const targets = ['jacket', 'parka'].map((word) => `/search?q=${word}&count=2`);
      for (const target of [...Array(12).fill(targets), targets].flat())
        expect((await requestJson(url, target)).body).toEqual((await get(target)).body);
      await request(url, { path: '/?q=windbreaker' }); // the shop window, whose script sends the search
      await until(() => fs.readFileSync(log, 'utf8').includes('"uri":"/?...'));
      expect(fs.readFileSync(log, 'utf8')).toContain('"cache":"HIT"');
      expect(fs.readFileSync(log, 'utf8')).not.toMatch(/parka|jacket|windbreaker/);
    } finally {
      await nginx.stop();
    }
  });

  test('cards of another load than the sets are refused', async () => {
    const change = (/** @type {string} */ sql) => withClient(database.superuserDsn, (client) => client.query(sql));
    await change('UPDATE catalog.cards SET load_id = load_id + 1');
    expect((await get('/search?q=parka&count=7')).status).toBe(503);
    await change('UPDATE catalog.cards SET load_id = load_id - 1');
    expect((await get('/search?q=parka&count=7')).status).toBe(200);
  });

  test('a page whose only product was deleted since the load is empty', async () => {
    const { body } = await get('/search?q=parka&count=1');
    const [{ id }] = body.items;
    await withClient(database.superuserDsn, (client) => client.query('DELETE FROM catalog.cards WHERE id = $1', [id]));
    const after = await get('/search?q=parka&count=1&facets=size'); // another key
    expect([after.status, after.body.items]).toEqual([200, []]);
  });
});

describe('a catalog that was loaded without search', () => {
  const served = serveCatalog();
  test.each([
    ['has empty tables', ''],
    ['is of a release before search', 'DROP TABLE catalog.search_sets, catalog.search_blobs;'],
  ])('answers searches with a 503 that says so, and everything else, when it %s', async (_, change) => {
    const changed = served.app.nextVersion();
    await served.catalog.client.query(`${change} SELECT catalog_meta.bump_version(1)`);
    await changed;
    const { url } = served.app;
    for (const target of ['/search', '/suggest?q=x']) {
      const { status, headers, body } = await requestJson(url, target);
      expect([status, headers['retry-after']]).toEqual([503, undefined]); // waiting does not help
      expect(body).toMatchObject({
        type: 'urn:catalog:problem:without-search',
        detail: 'This catalog was loaded without search. Load it again: npm run load -- DIR.',
      });
    }
    expect((await requestJson(url, '/catalog')).body).toMatchObject({
      products: 5,
      price: null,
      facets: [],
      sorts: [],
    });
    expect((await requestJson(url, '/products?include=offer')).status).toBe(200);
  });
});
