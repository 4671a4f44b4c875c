'use strict';

const { listParams, productInclude } = require('../../../server/http/params/list-params');
const { nearest } = require('../../../server/core/nearest');

/** @param {() => unknown} read @returns {string} the detail of the 400 */
function refusal(read) {
  try {
    return `accepted: ${JSON.stringify(read())}`;
  } catch (error) {
    const { status, message } = /** @type {import('../../../server/core/errors').Problem} */ (error);
    return `${status} ${message}`;
  }
}

const numbers = (/** @type {number} */ count) => Array.from({ length: count }, (_, index) => index + 1);

describe('the query of a list', () => {
  test.each([
    ['/products', { page: 1, count: 5, include: '' }],
    ['/products?include=styles,offer', { page: 1, count: 5, include: 'offer,styles' }],
    ['/products?include=offer&include=features,offer&page=2', { page: 2, count: 5, include: 'features,offer' }],
    [
      '/products?include=offer%2Crelated_ids&after=7&count=20000',
      { after: 7, count: 20000, include: 'offer,related_ids' },
    ],
    ['/products?include=related&count=100', { page: 1, count: 100, include: 'related' }],
    ['/products?ids=8,7,8', { ids: [8, 7, 8], count: 3, include: '' }],
    ['/products?ids=8%2C7&ids=2147483647&include=styles', { ids: [8, 7, 2147483647], count: 3, include: 'styles' }],
    [`/products?ids=${numbers(500)}`, { ids: numbers(500), count: 500, include: '' }],
    [`/products?ids=${numbers(100)}&include=styles`, { ids: numbers(100), count: 100, include: 'styles' }],
    ['/products?idz=1&includes=x', { page: 1, count: 5, include: '' }],
    ['/products?include=offer,&ids=1&page=&count=false&after=', { ids: [1], count: 1, include: 'offer' }],
    ['/products?include=false,offer&page=&page=2', { page: 2, count: 5, include: 'offer' }],
  ])('%s', (url, wanted) => expect(listParams(url)).toEqual(wanted));

  const anId = '400 ids must be whole numbers from 1 to 2147483647, in decimal digits:';
  const names = '400 include may be features, offer, styles, related, related_ids, and not';
  test.each([
    ['ids=1,x,2', `${anId} "x" is not one.`],
    ['ids=1,,2', `${anId} "" is not one.`],
    ['ids=1,false', `${anId} "false" is not one.`],
    ['ids=,', `${anId} "" is not one.`],
    ['ids=01', `${anId} "01" is not one.`],
    ['ids=1;2', `${anId} "1;2" is not one.`],
    ['ids=2147483648', `${anId} "2147483648" is not one.`],
    [`ids=${'9'.repeat(60)}`, `${anId} "${'9'.repeat(40)}…" is not one.`],
    [`ids=${numbers(501)}`, '400 ids must name 1 to 500 products, and names 501.'],
    [
      `ids=${numbers(101)}&include=styles`,
      '400 ids must name 1 to 100 products with styles or related included, and names 101.',
    ],
    ['ids=1&page=1', '400 ids says which products a list has: leave out page.'],
    ['ids=1&count=x', '400 ids says which products a list has: leave out count.'],
    ['ids=1&after=1', '400 ids says which products a list has: leave out after.'],
    ['include=style', `${names} "style". Did you mean "styles"?`],
    ['include=Offer', `${names} "Offer". Did you mean "offer"?`],
    ['include=reviews', `${names} "reviews".`],
    [
      'include=related&count=101',
      '400 count must be a whole number from 1 to 100 with styles or related included, in decimal digits.',
    ],
    ['include=offer&count=20001', '400 count must be a whole number from 1 to 20000, in decimal digits.'],
  ])('%s is refused with what to change', (query, wanted) => {
    expect(refusal(() => listParams(`/products?${query}`))).toBe(wanted);
  });
});

describe('the query of a product', () => {
  test.each([
    ['/products/1', ''],
    ['/products/1?utm_source=x&page=0&ids=1', ''],
    ['/products/1?include=related_ids,styles&include=offer', 'offer,styles,related_ids'],
  ])('%s', (url, wanted) => expect(productInclude(url)).toBe(wanted));

  test('has no features to include, because a product has them', () => {
    expect(refusal(() => productInclude('/products/1?include=features'))).toMatch(/^400 include may be offer, /);
  });
});

test('the nearest name allows a slip of a few letters, and no other word', () => {
  const names = ['features', 'offer', 'styles', 'related', 'related_ids'];
  const meant = [
    'feature',
    'ofer',
    'offre',
    'STYLES',
    'sytles',
    'realted',
    'related_id',
    'relatedids',
    'price',
    'x',
    '',
  ];
  expect(meant.map((given) => nearest(given, names))).toEqual([
    'features',
    'offer',
    'offer',
    'styles',
    'styles',
    'related',
    'related_ids',
    'related_ids',
    null,
    null,
    null,
  ]);
  expect(nearest('x'.repeat(8000), names)).toBeNull();
});
