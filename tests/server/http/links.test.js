'use strict';

const { listHeaders } = require('../../../server/http/replies/links');

/** @param {Parameters<typeof listHeaders>[0]} list @returns {Record<string, string>} reference by relation, and the total */
function read(list) {
  const [, link, total] = /^Link: (.*)\r\nX-Total-Count: (\d+)\r\n$/.exec(listHeaders(list)) ?? [];
  const links = link.split(', ').map((text) => /^<\?([^>]*)>; rel="(\w+)"$/.exec(text) ?? []);
  return { ...Object.fromEntries(links.map(([, reference, rel]) => [rel, reference])), total };
}

describe('the references of a list', () => {
  const list = { count: 5, nextAfter: 11, total: 11 };
  const [first, last] = ['page=1&count=5', 'page=3&count=5'];

  test.each([
    ['the first page', { ...list, page: 1 }, { next: 'after=11&count=5', first, last, total: '11' }],
    ['a page between', { ...list, page: 2 }, { next: 'after=11&count=5', first, prev: first, last, total: '11' }],
    ['the last page', { ...list, page: 3, nextAfter: null }, { first, prev: 'page=2&count=5', last, total: '11' }],
    ['a page past the end', { ...list, page: 99, nextAfter: null }, { first, prev: last, last, total: '11' }],
    ['the page after the last one', { ...list, page: 4, nextAfter: null }, { first, prev: last, last, total: '11' }],
    [
      'a full last page',
      { ...list, page: 1, total: 10 },
      { next: 'after=11&count=5', first, last: 'page=2&count=5', total: '10' },
    ],
    ['a list after an id', list, { next: 'after=11&count=5', first, last, total: '11' }],
    ['an empty catalog', { ...list, page: 1, nextAfter: null, total: 0 }, { first, last: first, total: '0' }],
    [
      'a far page of an empty catalog',
      { ...list, page: 7, nextAfter: null, total: 0 },
      { first, prev: first, last: first, total: '0' },
    ],
  ])('%s', (_, given, wanted) => expect(read(given)).toEqual(wanted));

  test('carry what the list includes, without a comma, at which readers of Link cut', () => {
    expect(read({ ...list, page: 2, include: 'offer,styles' })).toEqual({
      next: 'after=11&count=5&include=offer%2Cstyles',
      first: 'page=1&count=5&include=offer%2Cstyles',
      prev: 'page=1&count=5&include=offer%2Cstyles',
      last: 'page=3&count=5&include=offer%2Cstyles',
      total: '11',
    });
  });
});
