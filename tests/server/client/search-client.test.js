'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { startService } = require('../../helpers/app');
const { createCatalog, requireModule } = require('../../helpers/client');
const { loadSample } = require('../../helpers/sample');

/** @typedef {import('../../../server/client/instantsearch/search-client.js').SearchRequestParams} Params */

/** @type {typeof import('../../../server/client/instantsearch/search-client.js')} */
const { createSearchClient } = requireModule('../../server/client/instantsearch/search-client.js');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'instantsearch-'));
/** @type {Awaited<ReturnType<typeof loadSample>>} */
let database;
/** @type {Awaited<ReturnType<typeof startService>>} */
let app;
/** @type {import('../../../server/client/catalog.js').Catalog} */
let catalog;
/** @type {ReturnType<typeof createSearchClient>} */
let client;

beforeAll(async () => {
  database = await loadSample(dir, 300, undefined, true);
  app = await startService({ DATABASE_URL: database.dsn('api') });
  catalog = createCatalog({ url: app.url });
  client = createSearchClient(catalog);
}, 60_000);
afterAll(async () => {
  await app?.close();
  await database?.drop();
  fs.rmSync(dir, { recursive: true });
});

/** @param {Params} params @param {string} [indexName] */
const one = async (params, indexName = 'catalog') => (await client.search([{ indexName, params }])).results[0];

/** @param {import('../../../server/client/catalog.js').SearchReply} reply @param {string} name */
const countsIn = ({ facets }, name) => {
  const facet = /** @type {any} */ (facets.find((each) => each.name === name));
  return Object.fromEntries(facet.values.map((/** @type {any} */ { value, count }) => [value, count])); // prettier-ignore
};

describe('a request of InstantSearch', () => {
  test('has hits, exact totals and pages of /search', async () => {
    const found = await one({ query: 'jacket', page: 2, hitsPerPage: 5 });
    const { items, total } = await catalog.search({ q: 'jacket', page: 3, count: 5 });
    expect(found).toMatchObject({
      nbHits: total,
      page: 2,
      nbPages: Math.ceil(total / 5),
      hitsPerPage: 5,
      query: 'jacket',
    });
    expect(found.hits).toMatchObject(items);
    expect(found.hits.map(({ objectID }) => objectID)).toEqual(items.map(({ id }) => String(id)));
  });

  test('filters and counts as /search', async () => {
    const found = await one({
      facets: ['category', 'size', 'price', 'on_sale', 'feature.Fabric'],
      facetFilters: [['category:Jackets', 'category:Pants'], ['on_sale:true'], ['size:M']],
      numericFilters: ['price>=50', 'price<=200.5', 'price>=60'],
      maxValuesPerFacet: 500,
    });
    const filters = { category: ['Jackets', 'Pants'], on_sale: true, size: 'M', min_price: '60', max_price: '200.5' };
    const reply = await catalog.search({
      ...filters,
      facets: ['category', 'size', 'price', 'on_sale', 'feature.Fabric'],
      facet_values: 500,
    });
    expect(found.nbHits).toBe(reply.total);
    expect(found.nbHits).toBeGreaterThan(0);
    for (const name of ['category', 'size', 'on_sale', 'feature.Fabric'])
      expect(found.facets[name]).toEqual(countsIn(reply, name));
    const price = /** @type {any} */ (reply.facets.find(({ name }) => name === 'price'));
    expect(found.facets_stats).toEqual({ price: { min: Number(price.min), max: Number(price.max) } });
  });

  test('answers disjunctive counts by a request of each facet', async () => {
    const { results } = await client.search([
      {
        indexName: 'catalog',
        params: { facets: ['category', 'size'], facetFilters: [['category:Jackets'], ['size:M']] },
      },
      { indexName: 'catalog', params: { facets: 'category', hitsPerPage: 0, facetFilters: [['size:M']] } },
    ]);
    const reply = await catalog.search({ size: 'M', count: 0, facets: ['category'], facet_values: 100 });
    expect(results[1]).toMatchObject({ hits: [], nbHits: reply.total, nbPages: 0 });
    expect(results[1].facets.category).toEqual(countsIn(reply, 'category'));
    expect(results[0].nbHits).toBe(results[1].facets.category.Jackets);
  });

  test('has the counts that a widget asks apart from the reply with its products', async () => {
    /** @type {any[]} */
    const asked = [];
    const search = (/** @type {any} */ params) => (asked.push(params), catalog.search(params));
    const facets = ['category', 'size', 'price'];
    const filters = { facetFilters: [['category:Jackets'], ['size:M']], numericFilters: ['price>=50'] };
    const counts = { query: 'camo', hitsPerPage: 0, analytics: false };
    const { results } = await createSearchClient({ search, menu: catalog.menu }).search(
      [
        { query: 'camo', page: 1, hitsPerPage: 5, facets, ...filters },
        { ...counts, facets: 'category', ...filters, facetFilters: [['size:M']] },
        { ...counts, facets: 'price', ...filters, numericFilters: [] },
        { ...counts, facets: 'size', facetFilters: [['category:Shirts']] },
      ].map((params) => ({ indexName: 'catalog', params })),
    );
    expect(asked.map(({ count }) => count)).toEqual([5, 0]);
    const [{ facets: all, facets_stats: stats }, ...apart] = results;
    expect(apart[0]).toMatchObject({ hits: [], facets: { category: all.category } });
    expect(apart.map((each) => Object.keys(each.facets))).toEqual([['category'], ['price'], ['size']]);
    expect(apart[1].facets_stats).toEqual(stats);
  });

  test('sorts by the name of its index', async () => {
    for (const sort of /** @type {const} */ (['price', '-price', '-name'])) {
      const { items } = await catalog.search({ sort, count: 20 });
      expect((await one({}, `shop:${sort}`)).hits.map(({ id }) => id)).toEqual(items.map(({ id }) => id));
    }
    await expect(one({}, 'shop:cheapest')).rejects.toMatchObject({ slug: 'malformed-parameter' });
  });

  test('has all facets for a star', async () => {
    const { facets } = await catalog.menu();
    expect(Object.keys((await one({ facets: ['*'] })).facets).sort()).toEqual(facets.map(({ name }) => name).sort());
  });

  test('filters ranges of declared numbers and dates, whose bounds are milliseconds', async () => {
    const { fields = [] } = await catalog.menu();
    for (const type of ['number', 'date']) {
      const name = fields.find((field) => field.type === type && field.facet)?.name ?? 'no such field';
      const { facets_stats: stats, nbHits } = await one({ facets: [name] });
      const middle = Math.round((stats[name].min + stats[name].max) / 2);
      const halves = await Promise.all(
        [`${name}>=${middle}`, `${name}<=${middle - 1}`].map((filter) => one({ numericFilters: [filter] })),
      );
      const bound = type === 'date' ? new Date(middle).toISOString() : String(middle);
      expect(halves[0].nbHits).toBe(
        (await catalog.search({ [/** @type {'field.x'} */ (name)]: `${bound}..`, count: 0 })).total,
      );
      expect(halves.every((half) => half.nbHits > 0 && half.nbHits < nbHits)).toBe(true);
    }
  });

  test('marks what was found, and escapes texts where its tags are markup', async () => {
    const [hit] = (
      await one({ query: 'größe', highlightPreTag: '__ais-highlight__', highlightPostTag: '__/ais-highlight__' })
    ).hits;
    expect(hit._highlightResult.name).toEqual({
      value: '__ais-highlight__Größe__/ais-highlight__ "Ω" Café, 日本 🧵',
      matchLevel: 'full',
      matchedWords: ['grosse'],
    });
    const [plain] = (await one({ query: 'größe' })).hits;
    expect(plain._highlightResult.name.value).toBe('<em>Größe</em> &quot;Ω&quot; Café, 日本 🧵');
    expect(plain._highlightResult.slogan).toMatchObject({ matchLevel: 'none', matchedWords: [] });
  });

  test('searches values of a facet', async () => {
    const [{ facetHits, exhaustiveFacetsCount }] = await client.searchForFacetValues([
      { indexName: 'catalog', params: { facetName: 'category', facetQuery: 'ja', query: 'camo' } },
    ]);
    const counts = countsIn(await catalog.search({ q: 'camo', facets: ['category'], count: 0 }), 'category');
    expect([facetHits, exhaustiveFacetsCount]).toEqual([
      [{ value: 'Jackets', highlighted: '<em>Jackets</em>', count: counts.Jackets }],
      true,
    ]);
    const { results } = await client.search([
      { indexName: 'catalog', type: 'facet', facet: 'category', params: { facetQuery: 'ja', query: 'camo' } },
    ]);
    expect(results[0]).toMatchObject({ facetHits });
  });

  test('with a long text is cut as the service allows', async () => {
    expect((await one({ query: 'jacket '.repeat(50) })).nbHits).toBe((await one({ query: 'jacket' })).nbHits);
  });

  test('with a colon in the name of a feature, or a dash before a value, finds its parts', async () => {
    /** @type {any[]} */
    const asked = [];
    const reply = /** @type {any} */ ({ total: 0, items: [], facets: [], query: { words: [] } });
    const search = async (/** @type {any} */ params) => (asked.push(params), reply);
    const stub = createSearchClient({ search, menu: catalog.menu });
    const facetFilters = [['feature.a:b:c:d'], ['category:\\-x']];
    await stub.search([{ indexName: 'x', params: { facets: ['feature.a:b'], facetFilters } }]);
    expect(asked).toMatchObject([{ 'feature.a:b': ['c:d'], category: ['-x'] }]);
  });
});

test.each(
  /** @type {[string, Params][]} */ ([
    ['the parameter filters', { filters: 'category:Jackets' }],
    ['facetFilters category:-Jackets', { facetFilters: ['category:-Jackets'] }],
    ['facetFilters ["category:A","size:M"]', { facetFilters: [['category:A', 'size:M']] }],
    ['the facet size with all of several values', { facetFilters: ['size:M', 'size:L'] }],
    ['the facet size with all of several values', { facets: ['size'], facetFilters: ['size:M'] }],
    ['on_sale:false', { facetFilters: [['on_sale:false']] }],
    ['numericFilters price>5', { numericFilters: ['price>5'] }],
    ['numericFilters ["price=1","price=2"]', { numericFilters: [['price=1', 'price=2']] }],
  ]),
)('%s has no exact answer, so it is refused', async (what, params) => {
  await expect(one(params)).rejects.toThrow(`The catalog has no exact answer to ${what}. `);
});
