import fixtures from '../fixtures.json' with { type: 'json' };
import { baseOf } from '../requests.js';

/** Routes of the catalog as MSW writes them. */
const ROUTES = [
  '/products',
  '/products/:id',
  '/products/:id/styles',
  '/products/:id/related',
  '/skus',
  '/skus/:id',
  '/search',
  '/suggest',
  '/catalog',
  '/export',
];

/** @param {string} path @param {string} query @returns {string} the same for each order of parameters */
function keyOf(path, query) {
  const params = new URLSearchParams(query);
  params.sort();
  return `${path}?${params}`;
}

/** @type {typeof import('./handlers.d.ts').catalogHandlers} */
export function catalogHandlers(http, { url = '*', replies = {} } = {}) {
  const base = baseOf(url);
  const all = Object.entries({ ...fixtures, ...replies });
  const byKey = new Map(all.map(([address, reply]) => [keyOf(...partsOf(address)), reply]));

  return ROUTES.map((route) =>
    http.get(base + route, ({ request }) => {
      const { pathname, search } = new URL(request.url);
      const depth = route.split('/').length - 1;
      const path = `/${pathname.split('/').slice(-depth).join('/')}`;
      const { body, ...init } = byKey.get(keyOf(path, search)) ?? missing(path + search);
      return new Response(JSON.stringify(body), init);
    }),
  );
}

/** @param {string} address @returns {[path: string, query: string]} */
const partsOf = (address) => [address.split('?', 1)[0], address.slice(address.indexOf('?') + 1 || address.length)];

/** @param {string} address */
const missing = (address) => ({
  status: 501,
  headers: { 'Content-Type': 'application/problem+json; charset=utf-8' },
  body: {
    type: 'urn:catalog:problem:not-implemented',
    title: 'No fixture',
    status: 501,
    detail: `The mock has no reply for ${address}. Give one: catalogHandlers(http, { replies: { '${address}': … } }).`,
    instance: 'urn:request:mock',
  },
});
