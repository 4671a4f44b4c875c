'use strict';

const { exportParams } = require('../../../server/http/params/export-params');
const { listParams, productInclude } = require('../../../server/http/params/list-params');
const { noParams, searchParams, suggestParams } = require('../../../server/http/params/search-params');
const { loggedUrl } = require('../../../server/observe/tracing/logged-url');
const { IGNORED_PARAMETERS, QUERY_PARAMETERS } = require('../../../server/core/policy');
const { queryOf } = require('../../helpers/search-products');

const defaults = queryOf({ count: 24 });

test.each([
  ['', {}],
  ['?q=green+parka', { q: 'green parka' }],
  ['?category=b&size=M&category=a&category=b', { filters: { category: ['a', 'b'], size: ['M'] } }],
  ['?feature.Fabric%20%2B=a%26b&feature.A=1', { filters: { 'feature.A': ['1'], 'feature.Fabric +': ['a&b'] } }],
  [
    '?min_price=0&max_price=49.90&on_sale=true&in_stock=true',
    { minPrice: '0', maxPrice: '49.90', onSale: true, inStock: true },
  ],
  ['?sort=-price&count=0&page=9', { sort: '-price', count: 0, page: 9 }],
  ['?facets=feature.B,size&facets=category,feature.A,size', { facets: ['category', 'size', 'feature.A', 'feature.B'] }],
  // A form whose fields are empty, but for one.
  [
    '?q=&category=&category=a&size=&feature.Fabric=&min_price=&max_price=&on_sale=&in_stock=&sort=&count=&page=&facets=',
    { filters: { category: ['a'] } },
  ],
  ['?after=&facet_values=&page=2', { page: 2 }],
  ['?after=c1.x&facet_values=500&utm_source=x&_=1', { after: 'c1.x', facetValues: 500 }],
  // A program whose flags are false.
  ['?on_sale=false&in_stock=false&sort=false&count=false&page=false&after=false&facets=false', {}],
  [
    '?min_price=false&max_price=false&facet_values=false&facets=false,size,&on_sale=true',
    { facets: ['size'], onSale: true },
  ],
  ['?q=false&size=false&feature.Lined=false', { q: 'false', filters: { 'feature.Lined': ['false'], size: ['false'] } }],
  [
    '?field.vegan=false&field.weight_g=..500&field.weight_g=100..&field.brand=&sort=-field.weight_g&facets=field.x,feature.A',
    {
      filters: { 'field.vegan': ['false'], 'field.weight_g': ['..500', '100..'] },
      sort: '-field.weight_g',
      facets: ['feature.A', 'field.x'],
    },
  ],
  ['?feature.Euclid=x', { filters: { 'feature.Euclid': ['x'] } }],
  [
    `?feature.${'N'.repeat(200)}=${'🧵'.repeat(200)}`,
    { filters: { [`feature.${'N'.repeat(200)}`]: ['🧵'.repeat(200)] } },
  ],
])('/search%s is understood', (query, wanted) =>
  expect(searchParams(`/search${query}`)).toEqual({ ...defaults, ...wanted }),
);

test.each([
  ['categroy=x', 'Did you mean "category"?'],
  ['size[]=M', 'Did you mean "size"?'],
  ['categroy=', 'Did you mean "category"?'],
  ['in_stok=false', 'Did you mean "in_stock"?'],
  ['feature.=x', 'There is no parameter "feature." here'],
  ['count=5000', 'count must be a whole number from 0 to 1000'],
  ['count=-1', 'count must be a whole number from 0 to 1000'],
  ['facet_values=501', 'facet_values must be a whole number from 1 to 500'],
  ['page=0', 'page must be a whole number from 1'],
  ['page=1&after=c1.x', 'Give only one of them.'],
  ['q=a&q=b', 'q is given 2 times.'],
  ['min_price=-1', 'min_price must be a price from 0'],
  ['max_price=1e3', 'max_price must be a price from 0'],
  ['on_sale=yes', 'on_sale may be true or false, and not "yes".'],
  ['sort=prise', 'and not "prise". Did you mean "price"?'],
  ['facets=colour', 'facets may be category, price, size, on_sale, in_stock, feature, field.NAME, and not "colour".'],
  ['sort=weight_g', 'newest, field.NAME, and not "weight_g".'],
  [`feature.Care=${'é'.repeat(201)}`, '"feature.Care": a value or a name of more than 200 characters has no filter.'],
  [`feature.${'N'.repeat(201)}=x`, 'Search for its words with q.'],
  [`size=M&category=${'c'.repeat(255)}`, '"category": a value or a name of more than 200 characters'],
  [Array.from({ length: 101 }, (_, index) => `size=${index}`).join('&'), '1 to 100 values in all, and have 101.'],
])('/search?%s is a 400 that says what to change', (query, detail) => {
  expect(() => searchParams(`/search?${query}`)).toThrow(
    expect.objectContaining({ status: 400, message: expect.stringContaining(detail) }),
  );
});

test('suggestions and the catalog have their own parameters', () => {
  expect(suggestParams('/suggest?q=ja&count=50')).toEqual({ q: 'ja', count: 50 });
  expect(suggestParams('/suggest?q=&count=')).toEqual({ q: '', count: 8 });
  expect(suggestParams('/suggest')).toEqual({ q: '', count: 8 });
  expect(() => suggestParams('/suggest?count=51')).toThrow('from 1 to 50');
  expect(() => suggestParams('/suggest?page=1')).toThrow('only q, count.');
  expect(() => noParams('/catalog?utm_source=x')).not.toThrow();
  expect(() => noParams('/catalog?facets=size')).toThrow('There is no parameter "facets" here');
});

const { endings, beginnings, names } = IGNORED_PARAMETERS;
const tracked = [
  'gclid',
  'gad_source',
  'msclkid', // of Microsoft's advertisements
  'gad_campaignid',
  '_gac_1',
  '_hsenc',
  'mc_eid',
  'utm_source_platform',
];

test.each([...endings, ...beginnings, ...names, ...tracked])('%s of a tracker is ignored on every new path', (name) => {
  const query = `${name}=x&q=a&${encodeURIComponent(name)}`;
  expect(searchParams(`/search?${query}`)).toEqual(searchParams('/search?q=a'));
  expect(suggestParams(`/suggest?${query}`)).toEqual(suggestParams('/suggest?q=a'));
  expect(exportParams(`/export?${name}=1&view=id`)).toEqual(exportParams('/export?view=id'));
  expect(() => noParams(`/catalog?${name}=x`)).not.toThrow();
});

test.each(['clidx', 'xutm_', 'mc', 'gad', 'xgbraid', 'gbraids', '__', '_x', 'UTM_SOURCE', 'GCLID'])(
  '%s is no name of a tracker, and refused',
  (name) => {
    expect(() => searchParams(`/search?${name}=1`)).toThrow(`There is no parameter "${name}" here`);
    expect(() => exportParams(`/export?${name}=1`)).toThrow(`There is no parameter "${name}" here`);
  },
);

test('no route reads a parameter that is ignored', () => {
  for (const name of Object.values(QUERY_PARAMETERS).flat())
    expect(() => noParams(`/catalog?${name}=x`)).toThrow(`There is no parameter "${name}" here`);
});

describe.each(
  /** @type {[string, (url: string) => unknown, readonly string[]][]} */ ([
    ['/products', listParams, QUERY_PARAMETERS['/products']],
    ['/products/1', productInclude, QUERY_PARAMETERS['/products/:product_id']],
    ['/search', searchParams, QUERY_PARAMETERS['/search']],
    ['/suggest', suggestParams, QUERY_PARAMETERS['/suggest']],
    ['/export', exportParams, QUERY_PARAMETERS['/export']],
  ]),
)('%s', (path, read, own) => {
  const texts = ['q', 'category', 'size', 'feature.NAME', 'field.NAME'];
  test.each(own)('%s that is empty is not asked, nor one that is false', (name) => {
    expect(read(`${path}?${name}=`)).toEqual(read(path));
    expect(read(`${path}?${name}`)).toEqual(read(path));
    if (!texts.includes(name)) expect(read(`${path}?${name}=false`)).toEqual(read(path));
  });
});

test('logs have the length of a text and nothing of it', () => {
  expect(loggedUrl('/search?count=1&q=green+parka&page=2')).toBe('/search?count=1&q=<11>&page=2');
  expect(loggedUrl('/suggest?%71=ja')).toBe('/suggest?%71=<2>');
  expect(loggedUrl('/products/1?faq=x')).toBe('/products/1?faq=x');
});
