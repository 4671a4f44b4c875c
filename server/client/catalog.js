import { createSender, timeoutOf } from './attempts.js';
import { createBatches } from './batches.js';
import { exportLines } from './export-lines.js';
import { jsonOf } from './problem.js';
import { baseOf, encoded, isAsked, queryOf } from './requests.js';

export { highlight } from './highlight.js';
export { CatalogProblem } from './problem.js';

/** Cards of one request of `searchAll`: about 40 KB. */
const WALK_COUNT = 100;

/**
 * The routes of the catalog as functions. catalog.d.ts describes them, with types for the fields of a shop's own.
 * @type {(options?: import('./catalog.d.ts').Options) => import('./catalog.d.ts').Catalog}
 */
export function createCatalog(options) {
  const { url, ...connection } = options ?? {};
  const [base, send] = [baseOf(url), createSender(connection)];

  /**
   * @template T
   * @param {string} path @param {object | null | undefined} params of a call, with its options
   * @param {(response: Response) => Promise<T>} read
   */
  function get(path, params, read) {
    const { signal, cache, next, ...query } = /** @type {import('./catalog.d.ts').CallOptions} */ (params ?? {});
    return send({ url: `${base}${path}${queryOf(query)}`, call: { signal, cache, next } }, read);
  }

  /** @param {string} path @param {object | null} [params] @returns {Promise<any>} */
  const json = async (path, params) => get(path, params, jsonOf);

  /** @param {string} path @param {object} params @returns {Promise<Response>} whose body is not read */
  const opened = async (path, params) => get(path, params, async (response) => response);

  /** @param {string} path @returns {any} reads of items by their ids */
  const batches = (path) => createBatches((query) => json(path, query));

  /** @type {import('./catalog.d.ts').Catalog['products']} */
  const products = async (params) =>
    get('/products', params, async (response) => ({
      items: await jsonOf(response),
      total: Number(response.headers.get('X-Total-Count') ?? NaN),
      version: response.headers.get('Catalog-Version') ?? '',
      next: nextOf(response.headers.get('Link') ?? ''),
    }));

  /** @type {import('./catalog.d.ts').Catalog['search']} */
  const search = (params) => json('/search', params);

  /** @type {import('./catalog.d.ts').Catalog['searchAll']} */
  async function* searchAll(params) {
    const { count, ...others } = params ?? {};
    /** A price that changes during the walk can move a card behind the cursor again. @type {Set<number>} */
    const seen = new Set();
    /** @type {string | null | undefined} */
    let after;
    while (after !== null) {
      const place = after ? { page: undefined, after } : {};
      const { items, next } = await search({ count: isAsked(count) ? count : WALK_COUNT, ...others, ...place });
      for (const card of items) {
        if (!seen.has(card.id)) yield card;
        seen.add(card.id);
      }
      after = next;
    }
  }

  /** @type {import('./catalog.d.ts').Catalog['suggest']} */
  const suggest = (q, params) => json('/suggest', { q, ...params });

  /** @type {import('./catalog.d.ts').Catalog['suggestions']} */
  function suggestions() {
    let typing = new AbortController();
    return (q, params) => {
      typing.abort();
      typing = new AbortController();
      const { signal } = params ?? {};
      return suggest(q, { ...params, signal: signal ? AbortSignal.any([signal, typing.signal]) : typing.signal });
    };
  }

  return {
    product: (id, params) => json(pathOf(id), params),
    styles: (id, params) => json(`${pathOf(id)}/styles`, params),
    related: (id, params) => json(`${pathOf(id)}/related`, params),
    products,
    items: batches('/products'),
    sku: (id, params) => json(pathOf(id, '/skus/'), params),
    skus: batches('/skus'),
    skusBy: (field, values, params) => json('/skus', { ...params, [`field.${field}`]: values }),
    search,
    searchAll,
    suggest,
    suggestions,
    menu: (params) => json('/catalog', params),
    exportAll: (params) => exportLines(opened, params ?? {}, timeoutOf(connection.timeout)),
  };
}

/** Nothing and dots would lead to another path, as that of the list. */
const NO_SEGMENT = /^\.{0,2}$/;

/** @param {number} id a page may have it from its own URL, where it can be any text @param {string} [folder] */
const pathOf = (id, folder = '/products/') => folder + encoded(String(id).replace(NO_SEGMENT, '-'));

/**
 * @param {string} link the header of a list
 * @returns {import('./catalog.d.ts').ListParams | undefined} what the next page needs; undefined on the last one
 */
function nextOf(link) {
  const query = /<\?([^>]*)>; rel="next"/.exec(link)?.[1];
  if (!query) return undefined;
  const params = new URLSearchParams(query);
  const include = /** @type {import('./catalog.d.ts').ListInclude[]} */ (params.get('include')?.split(','));
  return { after: Number(params.get('after')), count: Number(params.get('count')), ...(include && { include }) };
}
