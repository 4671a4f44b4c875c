'use strict';

const { serveCatalog } = require('../../helpers/app');
const { manyProducts } = require('../../helpers/database');
const { request } = require('../../helpers/http');

const TARGETS = /** @type {[target: string, tags: string[]][]} */ ([
  ['/products/2', ['product-2']],
  ['/products/2/styles', ['product-2']],
  ['/products/2/related', ['product-2']],
  ['/products/2?include=offer', ['product-2', 'list']],
  ['/products?count=3', ['list']],
  ['/products?after=2&include=styles', ['list']],
  ['/products?ids=2,5', ['list']],
  ['/skus?ids=2,5', ['list']],
]);
const WITHOUT = ['/products/3', '/export?view=id', '/openapi.json', '/', '/nowhere'];

/** @param {import('node:http').IncomingHttpHeaders} headers */
const tagsIn = (headers) => [headers['surrogate-key'], headers['cache-tag']];

describe('a worker with CACHE_TAGS=on', () => {
  const served = serveCatalog(manyProducts(20), { CACHE_TAGS: 'on' });

  test.each(TARGETS)('%s has the tags catalog and %j, also in a 304 and from memory', async (target, tags) => {
    const expected = [['catalog', ...tags].join(' '), ['catalog', ...tags].join(',')];
    const { headers } = await request(served.app.url + target);
    const unchanged = await request(served.app.url + target, { headers: { 'If-None-Match': String(headers.etag) } });
    expect([tagsIn(headers), unchanged.status, tagsIn(unchanged.headers)]).toEqual([expected, 304, expected]);
    expect(tagsIn((await request(served.app.url + target)).headers)).toEqual(expected);
  });

  test.each(WITHOUT)('%s has none', async (target) => {
    expect(tagsIn((await request(served.app.url + target)).headers)).toEqual([undefined, undefined]);
  });
});

describe('a worker without CACHE_TAGS', () => {
  const served = serveCatalog(manyProducts(20));

  test('sends no tags', async () => {
    for (const [target] of TARGETS)
      expect(tagsIn((await request(served.app.url + target)).headers)).toEqual([undefined, undefined]);
  });
});
