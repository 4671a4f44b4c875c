'use strict';

const { Problem, PROBLEMS, overloaded } = require('../../../server/core/errors');
const { listParams } = require('../../../server/http/params/list-params');
const { createEvents } = require('../../../server/core/events');
const { createProblemHandler, problemBody, toProblem } = require('../../../server/http/replies/problem');
const { givenRequestId } = require('../../../server/http/replies/request-id');
const { acceptsGzip, matches, matchesStrongly } = require('../../../server/http/replies/validators');

describe('list parameters', () => {
  test.each([
    ['/products', { page: 1, count: 5 }],
    ['/products?', { page: 1, count: 5 }],
    ['/products?page=3', { page: 3, count: 5 }],
    ['/products?count=20000&page=2147483647', { page: 2147483647, count: 20000 }],
    ['/products?after=7&count=2', { after: 7, count: 2 }],
    ['/products?utm_source=x&utm_source=y&Page=0', { page: 1, count: 5 }],
    ['/products?%70age=2', { page: 2, count: 5 }],
    ['/products??page=2', { page: 1, count: 5 }],
    ['/products?page=&count&after=false', { page: 1, count: 5 }],
  ])('%s is understood', (url, wanted) => expect(listParams(url)).toEqual({ ...wanted, include: '' }));

  test.each([
    'page=0',
    'page=-1',
    'page=+1',
    'page=01',
    'page=1.0',
    'page=1e3',
    'page=0x1',
    'page=%20',
    'page=١',
    'page=2147483648',
    'page=99999999999999999999',
    'count=0',
    'count=20001',
    'count=1&count=1',
    'page=1&page=2',
    'after=0',
    'after=x',
    'after=1&after=2',
    'after=1&page=1',
    'page=1%00',
    'page[]=1&page=%zz',
  ])('?%s is refused', (query) => {
    expect(() => listParams(`/products?${query}`)).toThrow(
      expect.objectContaining({ status: 400, kind: PROBLEMS.malformedParameter }),
    );
  });
});

describe('validators', () => {
  test.each([
    ['"a"', true],
    ['W/"a"', true],
    ['"b", "a"', true],
    ['"b",W/"a"', true],
    ['*', true],
    ['"b"', false],
    ['"a-gzip"', false],
    ['a', false],
    ['', false],
  ])('If-None-Match: %s', (header, wanted) => expect(matches(header, '"a"')).toBe(wanted));

  test.each([
    ['"a"', true],
    ['"b", "a"', true],
    ['*', true],
    ['W/"a"', false],
    ['"b"', false],
    ['', false],
  ])('If-Match: %s', (header, wanted) => expect(matchesStrongly(header, '"a"')).toBe(wanted));

  test.each([
    ['gzip', true],
    ['x-gzip', true],
    ['gzip, deflate, br', true],
    ['br;q=1.0, GZIP;q=0.5', true],
    ['*', true],
    ['gzip;q=0', false],
    ['*;q=0', false],
    ['gzip;q=0, *', false],
    ['identity', false],
    ['br', false],
    ['', false],
    [undefined, false],
  ])('Accept-Encoding: %s', (header, wanted) => expect(acceptsGzip(header)).toBe(wanted));
});

describe('problems', () => {
  test('have exactly the members of RFC 9457', () => {
    const problem = new Problem(PROBLEMS.unknownProduct, 'There is no product 9.');
    expect(problemBody(problem, 'r1')).toBe(
      '{"type":"urn:catalog:problem:unknown-product","title":"Unknown product","status":404,' +
        '"detail":"There is no product 9.","instance":"urn:request:r1"}',
    );
  });

  test('a 503 says when to retry', () => {
    expect(overloaded('busy').headers).toEqual({ 'Retry-After': '1' });
  });

  test('a second error of a reply does not cut the answer to the first', () => {
    const refuse = createProblemHandler({ commonHeaders: [], state: { draining: false }, events: createEvents() });
    const res = { writableEnded: true, headersSent: true, destroy: jest.fn() };
    refuse(new Error('second'), /** @type {any} */ ({ headers: {}, url: '/' }), /** @type {any} */ (res));
    expect(res.destroy).not.toHaveBeenCalled();
    refuse(
      new Error('cut'),
      /** @type {any} */ ({ headers: {}, url: '/' }),
      /** @type {any} */ ({ ...res, writableEnded: false }),
    );
    expect(res.destroy).toHaveBeenCalledTimes(1);
  });

  test('an unexpected error reveals nothing', () => {
    const problem = toProblem(new Error('password=hunter2'));
    expect(problem.status).toBe(500);
    expect(problemBody(problem, 'r1')).not.toContain('hunter2');
  });

  test('a request id is returned only when it is safe in a header, a log and a URN', () => {
    const request = (/** @type {string} */ id) => /** @type {any} */ ({ headers: { 'x-request-id': id } });
    expect(givenRequestId(request('a-1.b_C'))).toBe('a-1.b_C');
    for (const id of ['', 'a b', 'a"b', 'ü', 'x'.repeat(65), 'a\nb'])
      expect(givenRequestId(request(id))).toBeUndefined();
  });
});
