'use strict';

/** @type {Record<string, { status: number, body: unknown }>} */
const fixtures = require('../../../server/client/fixtures.json');
const { createCatalog, requireModule } = require('../../helpers/client');

/** @type {typeof import('../../../server/client/msw/handlers.js')} */
const { catalogHandlers } = requireModule('../../server/client/msw/handlers.js');

/** As MSW calls the first handler whose path matches. @param {import('../../../server/client/msw/handlers.js').MockOptions} [options] */
function mocked(options) {
  /** @type {[RegExp, (info: { request: Request }) => Response][]} */
  const routes = [];
  catalogHandlers(
    {
      get: (path, resolver) =>
        void routes.push([new RegExp(`^${path.replaceAll('*', '.*').replace(/:id/g, '[^/]+')}$`), resolver]),
    },
    options,
  );
  return createCatalog({
    url: 'https://shop.example/api',
    async fetch(url) {
      const [, resolver] = routes.find(([path]) => path.test(url.split('?')[0])) ?? [];
      if (!resolver) throw new TypeError(`no handler for ${url}`);
      return resolver({ request: new Request(url) });
    },
  });
}

describe('handlers of MSW', () => {
  const urls = Object.keys(fixtures);
  test.each(urls)('answer %s as the service does', async (url) => {
    const { status, body } = fixtures[url];
    const request = new Request(`https://shop.example${url}`);
    /** @type {Response[]} */
    const answers = [];
    const get = (/** @type {string} */ path, /** @type {any} */ resolver) => {
      if (new URL(request.url).pathname.split('/').length === path.split('/').length)
        answers.push(resolver({ request }));
    };
    catalogHandlers({ get });
    expect(answers[0].status).toBe(status);
    expect(await answers[0].json()).toEqual(body);
  });

  test('take parameters in any order, behind a path', async () => {
    const catalog = mocked({ url: 'https://shop.example/api/' });
    const { items, total } = await catalog.products({ include: ['offer'], count: 12 });
    expect([items.length, total]).toEqual([12, 12]);
    await expect(catalog.product(999)).rejects.toMatchObject({ slug: 'unknown-product' });
  });

  test('have replies of your own first', async () => {
    const replies = { '/search?q=x': { status: 503, headers: { 'Retry-After': '7' }, body: {} } };
    await expect(mocked({ replies }).search({ q: 'x' })).rejects.toMatchObject({ status: 503, retryAfter: 7 });
  });

  test('say which reply is missing', async () => {
    await expect(mocked().search({ q: 'nothing' })).rejects.toMatchObject({
      status: 501,
      slug: 'not-implemented',
      detail: expect.stringContaining('The mock has no reply for /search?q=nothing. Give one: '),
    });
  });
});
