import { createBatches } from './batches.js';
import { exportLines } from './export-lines.js';
import { jsonOf } from './problem.js';
import { createRequests, encoded, isAsked } from './requests.js';

export { highlight } from './highlight.js';
export { CatalogProblem } from './problem.js';

/** Cards of one request of `searchAll`: about 40 KB. */
const WALK_COUNT = 100;

/**
 * The routes of the catalog as functions. catalog.d.ts describes them.
 * @type {typeof import('./catalog.d.ts').createCatalog}
 */
export function createCatalog(options) {
  const open = createRequests(options ?? {});

  /** @param {string} path @param {object | null} [params] of a call, with its signal */
  function send(path, params) {
    const { signal, ...query } = /** @type {import('./catalog.d.ts').CallOptions} */ (params ?? {});
    return open(path, query, signal);
  }

  /** @type {(...call: Parameters<typeof send>) => Promise<any>} */
  const json = async (...call) => jsonOf(await send(...call));

  /** @type {import('./catalog.d.ts').Catalog['products']} */
  async function products(params) {
    const response = await send('/products', params);
    const { headers } = response;
    return {
      items: await jsonOf(response),
      total: Number(headers.get('X-Total-Count') ?? NaN),
      version: headers.get('Catalog-Version') ?? '',
      next: nextOf(headers.get('Link') ?? ''),
    };
  }

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
    items: /** @type {import('./catalog.d.ts').Catalog['items']} */ (
      createBatches((query) => json('/products', query))
    ),
    search,
    searchAll,
    suggest,
    suggestions,
    menu: (params) => json('/catalog', params),
    exportAll: (params) => exportLines(send, params ?? {}),
  };
}

/** Nothing and dots would lead to another path, as that of the list. */
const NO_SEGMENT = /^\.{0,2}$/;

/** @param {number} id a page may have it from its own URL, where it can be any text */
const pathOf = (id) => `/products/${encoded(String(id).replace(NO_SEGMENT, '-'))}`;

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
