import { createBatches } from './batches.js';
import { exportLines } from './export-lines.js';
import { jsonOf } from './problem.js';
import { createRequests } from './requests.js';

export { highlight } from './highlight.js';
export { CatalogProblem } from './problem.js';

/** Cards of one request of `searchAll`: about 40 KB. */
const WALK_COUNT = 100;

/**
 * The routes of the catalog as functions. catalog.d.ts describes them.
 * @type {typeof import('./catalog.d.ts').createCatalog}
 */
export function createCatalog(options = {}) {
  const open = createRequests(options);

  /** @type {(...request: Parameters<typeof open>) => Promise<any>} */
  const json = async (...request) => jsonOf(await open(...request));

  /** @type {import('./catalog.d.ts').Catalog['products']} */
  async function products({ signal, ...params } = {}) {
    const response = await open('/products', params, signal);
    const { headers } = response;
    return {
      items: await jsonOf(response),
      total: Number(headers.get('X-Total-Count') ?? NaN),
      version: headers.get('Catalog-Version') ?? '',
      next: nextOf(headers.get('Link') ?? ''),
    };
  }

  /** @type {import('./catalog.d.ts').Catalog['search']} */
  const search = ({ signal, ...params } = {}) => json('/search', params, signal);

  /** @type {import('./catalog.d.ts').Catalog['searchAll']} */
  async function* searchAll(params = {}) {
    /** A price that changes during the walk can move a card behind the cursor again. @type {Set<number>} */
    const seen = new Set();
    /** @type {string | null | undefined} */
    let after;
    while (after !== null) {
      const place = after ? { page: undefined, after } : {};
      const { items, next } = await search({ count: WALK_COUNT, ...params, ...place });
      for (const card of items) {
        if (!seen.has(card.id)) yield card;
        seen.add(card.id);
      }
      after = next;
    }
  }

  let typing = new AbortController();
  /** @type {import('./catalog.d.ts').Catalog['suggest']} */
  function suggest(q, { signal, ...params } = {}) {
    typing.abort();
    typing = new AbortController();
    return json('/suggest', { q, ...params }, signal ? AbortSignal.any([signal, typing.signal]) : typing.signal);
  }

  return {
    product: (id, { include, signal } = {}) => json(pathOf(id), { include }, signal),
    styles: (id, { signal } = {}) => json(`${pathOf(id)}/styles`, {}, signal),
    related: (id, { signal } = {}) => json(`${pathOf(id)}/related`, {}, signal),
    products,
    items: /** @type {import('./catalog.d.ts').Catalog['items']} */ (
      createBatches((query) => json('/products', query))
    ),
    search,
    searchAll,
    suggest,
    menu: ({ signal } = {}) => json('/catalog', {}, signal),
    exportAll: ({ signal, ...params } = {}) => exportLines(open, params, signal),
  };
}

/** Nothing and dots would lead to another path, as that of the list. */
const NO_SEGMENT = /^\.{0,2}$/;

/** @param {number} id a page may have it from its own URL, where it can be any text */
const pathOf = (id) => `/products/${encodeURIComponent(String(id).replace(NO_SEGMENT, '-'))}`;

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
