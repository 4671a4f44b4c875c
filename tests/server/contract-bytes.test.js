'use strict';

const request = require('supertest');

const { serveCatalog } = require('../helpers/app');

const CREATED = '"created_at":"2021-08-13T14:37:33.145Z"';
const HEAD_1 =
  String.raw`{"id":1,"campus":"hr-lax","name":"Camo \"\\\" Onesie","slogan":"Blend in to your \"\\crowd\"",` +
  String.raw`"description":"So\\\"Fatigues\" – ü","category":"Jackets \"\\\"","default_price":"140.00",` +
  `${CREATED},"updated_at":"2021-08-13T14:37:33.145Z"`;
const HEAD_4 =
  '{"id":4,"campus":"hr-lax","name":"Bare","slogan":"-","description":"-","category":"None",' +
  `"default_price":"0.00",${CREATED},"updated_at":"2022-02-03T04:05:06.007Z"`;

describe('replies have exactly the bytes that front ends were built for', () => {
  const served = serveCatalog();

  const get = (/** @type {string} */ path) => request(served.app.url).get(path).buffer(true).parse(text);
  /** @type {any} */
  const text = (/** @type {any} */ res, /** @type {any} */ done) => {
    res.setEncoding('utf8');
    let body = '';
    res.on('data', (/** @type {string} */ chunk) => (body += chunk));
    res.on('end', () => done(null, body));
  };

  test.each([
    [
      'a product with repeated features in file order',
      '/products/1',
      String.raw`${HEAD_1},"features":[{"feature":"Fabric","value":"Canvas"},{"feature":"Buttons \"\\\"","value":"Brass \"\\\""},{"feature":"Fabric","value":"Canvas"}]}`,
    ],
    ['a product without features', '/products/4', `${HEAD_4},"features":[]}`],
    ['related products, repeated and itself, in file order', '/products/5/related', '[5,2,2]'],
    ['no related products', '/products/4/related', '[]'],
    ['a product without styles', '/products/4/styles', '{"product_id":"4","results":[]}'],
    [
      'a style without photos, skus and default',
      '/products/2/styles',
      '{"product_id":"2","results":[{"style_id":7,"name":"Gold","original_price":"19.999","sale_price":null,"default?":false,"photos":[{"thumbnail_url":null,"url":null}],"skus":{"null":{"quantity":null,"size":null}}}]}',
    ],
    [
      'styles by id, photos in file order, broken URLs as they came, a size twice',
      '/products/1/styles',
      String.raw`{"product_id":"1","results":[{"style_id":1,"name":"Forest Green","original_price":"140.00","sale_price":null,"default?":true,"photos":[{"thumbnail_url":"https://x/8s\"\\.jpg","url":"uhttps://x/8\"\\.jpg"},{"thumbnail_url":"https://x/7s.jpg","url":"https://x/7.jpg"}],"skus":{"37":{"quantity":8,"size":"7\"\\"},"38":{"quantity":0,"size":"7.5"},"39":{"quantity":17,"size":"7.5"}}},{"style_id":2,"name":"Desert \"\\\" Brown","original_price":"140.00","sale_price":"99.995","default?":false,"photos":[{"thumbnail_url":"https://x/9s.jpg","url":"https://x/9.jpg"}],"skus":{"40":{"quantity":1,"size":"One Size"}}}]}`,
    ],
    ['a list without features', '/products?count=1', `[${HEAD_1}}]`],
    ['a list that counts rows over a gap', '/products?page=3&count=1', `[${HEAD_4}}]`],
    ['a list after an id', '/products?after=2&count=1', `[${HEAD_4}}]`],
    ['a page past the end', '/products?page=2', '[]'],
    ['a list behind the last id', '/products?after=2147483647', '[]'],
  ])('%s', async (_title, path, wanted) => {
    for (const same of [path, path, path, path.replace(/(\?|$)/, '/$1')]) {
      const response = await get(same);
      expect(response.body).toBe(wanted);
      expect(response.status).toBe(200);
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    }
  });

  test('prices keep more than two decimals when the data has them', async () => {
    expect((await request(served.app.url).get('/products/5')).body.default_price).toBe('65.125');
  });

  /** Sends a request as a proxy does that removes a prefix of the path. @param {URL} url @param {string} prefix */
  async function listAt(url, prefix) {
    const { body, headers } = await request(served.app.url)
      .get(url.pathname.slice(prefix.length) + url.search)
      .set({ Host: 'other.example', 'X-Forwarded-Host': 'other.example', 'X-Forwarded-Prefix': '/other' });
    const targets = [...headers.link.matchAll(/<([^>]*)>; rel="(\w+)"/g)];
    const links = Object.fromEntries(targets.map(([, target, rel]) => [rel, new URL(target, url)]));
    return { ids: body.map((/** @type {{ id: number }} */ { id }) => id), links };
  }

  test.each(['', '/api', '/api/v1'])(
    'rel="next" leads through the whole catalog behind the prefix %j, and ends',
    async (prefix) => {
      for (const start of ['/products?count=2', '/products/?count=2', '/products?page=1&count=2&utm_source=x']) {
        const first = new URL(`https://shop.example${prefix}${start}`);
        let list = await listAt(first, prefix);
        const seen = [...list.ids];
        while (list.links.next) {
          list = await listAt(list.links.next, prefix);
          seen.push(...list.ids);
          expect(list.links.first.href).toBe(`${first.origin}${first.pathname}?page=1&count=2`);
        }
        expect(seen).toEqual([1, 2, 4, 5, 7]);
      }
    },
  );
});
