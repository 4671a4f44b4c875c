'use strict';

const request = require('supertest');

const { serveCatalog, startService } = require('../../helpers/app');
const { createCatalog, idOf, manyProducts } = require('../../helpers/database');

const all = ['offer', 'styles', 'related', 'related_ids'];

describe('includes', () => {
  const served = serveCatalog(undefined, { GZIP_MIN_BYTES: 64 });
  const get = (/** @type {string} */ path) => request(served.app.url).get(path);

  test('in any order, repeated and encoded are one reply with one ETag', async () => {
    const queries = [
      `include=${all}`,
      `include=${[...all].reverse()}`,
      all.map((name) => `include=${name}`).join('&'),
      `include=${all.join('%2C')}&include=styles`,
      `utm_source=x&include=${all}`,
    ];
    for (const path of ['/products/1', '/products/1/', '/products', '/products?ids=1,5', '/products?after=1&count=2']) {
      const replies = await Promise.all(
        queries.map((query) => get(`${path}${path.includes('?') ? '&' : '?'}${query}`)),
      );
      expect(replies.map(({ status }) => status)).toEqual(Array(5).fill(200));
      expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
      expect(new Set(replies.map(({ headers }) => headers.etag)).size).toBe(1);
      expect(replies[0].text).toContain('"related_ids":');
    }
  });

  test.each(['styles', 'related'])('are ignored on /%s, as other parameters are', async (tail) => {
    const [plain, asked] = [await get(`/products/1/${tail}`), await get(`/products/1/${tail}?include=nothing`)];
    expect([asked.status, asked.text]).toEqual([200, plain.text]);
  });

  test('have the headers of other replies: HEAD, 304, 412, gzip, OPTIONS', async () => {
    for (const path of ['/products/1?include=styles', '/products?include=styles', '/products?ids=1,2&include=styles']) {
      const { headers, text } = await get(path).set('Accept-Encoding', 'gzip');
      expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
      expect(headers['catalog-version']).toBe(served.app.service.health().parts.version);
      expect(headers['access-control-expose-headers']).toMatch(/Catalog-Version.*X-Total-Count/);
      const plain = await get(path).set('Accept-Encoding', 'identity');
      expect(plain.text).toBe(text);
      const head = await request(served.app.url).head(path).set('Accept-Encoding', 'identity');
      expect([head.status, head.headers['content-length']]).toEqual([200, plain.headers['content-length']]);
      const again = await get(path).set('If-None-Match', headers.etag).set('Accept-Encoding', 'gzip');
      expect([again.status, again.headers['catalog-version'], again.headers['x-total-count']]).toEqual([
        304,
        headers['catalog-version'],
        headers['x-total-count'],
      ]);
      expect((await get(path).set('If-Match', '"x"')).status).toBe(412);
      expect((await request(served.app.url).options(path)).status).toBe(204);
    }
  });

  test('of an unknown product are a 404 that says in which version of the data', async () => {
    for (const path of ['/products/3?include=styles', '/products/3', '/products/3/styles']) {
      const { status, headers, body } = await get(path);
      expect([status, body.type, headers['catalog-version']]).toEqual([
        404,
        'urn:catalog:problem:unknown-product',
        served.app.service.health().parts.version,
      ]);
    }
  });

  test('of what is about the API, no version is told', async () => {
    expect((await get('/openapi.json')).headers).not.toHaveProperty('catalog-version');
  });

  test.each(['/products/1?include=style', '/products?include=style', '/products?ids=1&include=style'])(
    '%s is a 400 that names the nearest one',
    async (path) => {
      const { status, body } = await get(path);
      expect([status, body.detail]).toEqual([400, expect.stringMatching(/Did you mean "styles"\?$/)]);
    },
  );
});

describe('related products', () => {
  const count = 60;
  const served = serveCatalog(`${manyProducts(count)}
    INSERT INTO {schema}.related (id, product_id, position, related_product_id)
    SELECT row_number() OVER (), 2, row_number() OVER (), other
    FROM unnest(ARRAY[3, 2, 9, 9, 99999] || ARRAY(SELECT id FROM {schema}.products ORDER BY id DESC)) AS other;`);

  test('are those that exist, in file order, without repeats and itself, and at most 50', async () => {
    const { body } = await request(served.app.url).get('/products/2?include=related,related_ids');
    const backwards = Array.from({ length: count }, (_, index) => idOf(count - index));
    expect(body.related_ids).toEqual([3, 2, 9, 9, 99999, ...backwards]);
    const others = backwards.filter((id) => ![2, 9].includes(id));
    expect(body.related.map((/** @type {{ id: number }} */ { id }) => id)).toEqual([9, ...others].slice(0, 50));
    expect(Object.keys(body.related[0])).toEqual(['id', 'name', 'slogan', 'category', 'default_price', 'offer']);
  });
});

describe('references and totals of lists', () => {
  const served = serveCatalog(manyProducts(300));

  test('lead forward through all products and back, with what is included', async () => {
    /** @type {number[]} */
    const ids = [];
    /** @type {string | undefined} */
    let query = '?count=64&include=offer';
    while (query) {
      const { body, headers } = await request(served.app.url).get(`/products${query}`);
      expect(headers['x-total-count']).toBe('300');
      ids.push(...body.map((/** @type {{ id: number }} */ { id }) => id));
      expect(body[0].offer).toBeDefined();
      query = /<([^>]*)>; rel="next"/.exec(headers.link)?.[1];
    }
    expect(ids).toEqual(Array.from({ length: 300 }, (_, index) => idOf(index + 1)));

    /** @type {number[][]} */
    const pages = [];
    query = '?page=9&count=64&include=related_ids';
    while (query) {
      const { body, headers } = await request(served.app.url).get(`/products${query}`);
      pages.unshift(body.map((/** @type {{ id: number }} */ { id }) => id));
      query = /<([^>]*)>; rel="prev"/.exec(headers.link)?.[1];
    }
    expect(pages.flat()).toEqual(ids);
  });

  test('are those of the catalog also when a list has no products', async () => {
    for (const query of ['page=99', `after=${idOf(300)}`, 'after=2147483647', 'after=2147483647&include=offer']) {
      const { text, headers } = await request(served.app.url).get(`/products?${query}`);
      expect([text, headers['x-total-count']]).toEqual(['[]', '300']);
      expect(headers.link).toMatch(/<\?page=60&count=5.*>; rel="last"$/);
    }
  });
});

test('an empty catalog has a first page, no products, and no reply fails', async () => {
  const catalog = await createCatalog('');
  const app = await startService({ DATABASE_URL: catalog.dsn });
  try {
    for (const query of ['', '?page=2', '?after=1', '?include=styles,related', '?after=1&include=offer']) {
      const { text, headers } = await request(app.url).get(`/products${query}`);
      expect([text, headers['x-total-count']]).toEqual(['[]', '0']);
      expect(headers.link).toMatch(/^<\?page=1&count=5.*>; rel="first", .*<\?page=1&count=5[^>]*>; rel="last"$/);
    }
    expect((await request(app.url).get('/products?ids=1,2&include=offer')).text).toBe('[null,null]');
    expect((await request(app.url).get('/products/1?include=offer')).status).toBe(404);
  } finally {
    await app.close();
    await catalog.drop();
  }
});
