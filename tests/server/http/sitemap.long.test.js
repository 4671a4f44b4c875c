'use strict';

const { serveCatalog } = require('../../helpers/app');
const { idOf, manyProducts } = require('../../helpers/database');
const { request } = require('../../helpers/http');
const { SHOP } = require('../../helpers/shops');
const { readSitemap } = require('../../helpers/sitemaps');

describe('sitemaps of 100,001 products', () => {
  jest.setTimeout(300_000);
  const products = 100_001;
  const served = serveCatalog(manyProducts(products), SHOP);
  const get = (/** @type {string} */ path) => request(served.app.url, { path });

  test('are three files, which have every product once', async () => {
    const files = readSitemap((await get('/sitemap.xml')).body, 'sitemapindex');
    expect(files.map(({ location }) => new URL(location).pathname)).toEqual(
      [1, 2, 3].map((number) => `/sitemap-${number}.xml`),
    );
    const lengths = [];
    const ids = [];
    for (const { location } of files) {
      const entries = readSitemap((await get(new URL(location).pathname)).body, 'urlset');
      lengths.push(entries.length);
      ids.push(...entries.map((entry) => Number(/-(\d+)\?/.exec(entry.location)?.[1])));
    }
    expect(lengths).toEqual([50_000, 50_000, 1]);
    expect(ids).toEqual(Array.from({ length: products }, (_, index) => idOf(index + 1)));
    expect((await get('/sitemap-4.xml')).status).toBe(404);
  });
});
