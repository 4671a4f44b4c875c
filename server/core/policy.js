'use strict';

/*
 * Rules that workers, nginx and the process manager share, beside errors.js. This file imports nothing: nginx and PM2 are configured
 * from it.
 */

/**
 * Every route with the query parameters that it reads. nginx caches one reply for each of their values and ignores all other
 * parameters: a parameter that is missing here gets the reply of another value.
 */
const QUERY_PARAMETERS = Object.freeze(
  /** @type {const} */ ({
    '/products/:product_id': ['include'],
    '/products': ['page', 'count', 'after', 'include', 'ids'],
    '/products/:product_id/styles': [],
    '/products/:product_id/related': [],
    '/skus': ['ids', 'field.NAME', 'include'],
    '/skus/:sku_id': ['include'],
    '/export': ['view', 'after'],
    '/search': [
      'q',
      'category',
      'size',
      'feature.NAME',
      'field.NAME',
      'min_price',
      'max_price',
      'on_sale',
      'in_stock',
      'sort',
      'count',
      'page',
      'after',
      'facets',
      'facet_values',
    ],
    '/suggest': ['q', 'count'],
    '/catalog': [],
    '/sitemap.xml': [],
    '/sitemap-:number.xml': [],
    '/feeds/google.tsv': [],
    '/feeds/openai.jsonl': [],
    '/.well-known/ucp': [],
    '/ucp/catalog/search': [],
    '/ucp/catalog/lookup': [],
    '/ucp/catalog/product': [],
    '/ucp/mcp': [],
    '/openapi.json': [],
    '/llms.txt': [],
    '/docs': [],
    '/docs/:asset': [],
    '/': [], // its script reads the query
    '/browser/shop/:asset': [],
    '/browser/shared/:asset': [],
    '/client/:asset': [],
  }),
);

/**
 * Names that trackers, mailers and caches of browsers add to any link. A route that knows its parameters ignores them, and they are
 * part of no cache key. A name of QUERY_PARAMETERS is never one of them.
 */
const IGNORED_PARAMETERS = Object.freeze({
  endings: ['clid'],
  beginnings: ['utm_', 'mc_', 'gad_', '_ga', '_gl', '_hs'],
  names: ['gbraid', 'wbraid', 'igshid', 'li_fat_id', 'mkt_tok', 'msclkid', 'srsltid', '_'],
});

/** Before the name of a feature; a list of names that has it with NAME has all of them. */
const FEATURE = 'feature.';

/** Before the name of a field of a shop's own. */
const FIELD = 'field.';
/** The facets of all fields; no request can name them. */
const ALL_FIELDS = 'field';

/** A reply to one of these is as good as never requested again: nginx and Redis do not keep it. @type {readonly QueryParameter[]} */
const UNCACHED_PARAMETERS = Object.freeze(['ids']);

/** nginx keeps no reply of these. @type {readonly RoutePath[]} */
const UNCACHED_ROUTES = Object.freeze([
  '/export',
  '/skus',
  '/sitemap.xml',
  '/sitemap-:number.xml',
  '/feeds/google.tsv',
  '/feeds/openai.jsonl',
  '/ucp/catalog/search',
  '/ucp/catalog/lookup',
  '/ucp/catalog/product',
  '/ucp/mcp',
]);

/** Routes that answer POST alone, and read a body. They only read the catalog, so a request may be sent twice. @type {readonly RoutePath[]} */
const POST_ROUTES = Object.freeze(['/ucp/catalog/search', '/ucp/catalog/lookup', '/ucp/catalog/product', '/ucp/mcp']);

/** @param {string} [url] of a request */
function isPostRoute(url = '') {
  const path = url.split('?', 1)[0].replace(/\/$/, '');
  return POST_ROUTES.some((each) => each === path);
}

/** nginx keeps a reply of these under the URL without what is ignored: their parameters have many names, and the worker knows equal queries. @type {readonly RoutePath[]} */
const KEYED_BY_URL = Object.freeze(['/search', '/suggest', '/catalog']);

/** How a search may be sorted. */
const SORTS = Object.freeze(/** @type {const} */ (['relevance', 'id', 'price', '-price', 'name', '-name', 'newest']));
/** Facets of a search, beside one feature alone (`feature.NAME`). */
const FACETS = Object.freeze(/** @type {const} */ (['category', 'price', 'size', 'on_sale', 'in_stock', 'feature']));
/** Limits of a search; /catalog shows them. Those of q are in search/text/query-text.js. */
const SEARCH_LIMITS = Object.freeze({
  count: 1000,
  default_count: 24,
  facet_values: 500,
  default_facet_values: 20,
  filter_values: 100,
  suggestions: 50,
  default_suggestions: 8,
});

/** Values of `include`, in the order of the keys in a reply. A product has its features without being asked. */
const INCLUDES = Object.freeze(/** @type {const} */ (['features', 'offer', 'styles', 'related', 'related_ids']));
/** And of a single product alone, as the last key: a worker makes it, which lists would take too long for. */
const JSON_LD = 'jsonld';
/** Values of `include` of a sku. */
const SKU_INCLUDES = Object.freeze(/** @type {const} */ (['card']));
/** These are documents of several kilobytes a product, so a list with them is shorter, and nginx does not keep it. */
const LARGE_INCLUDES = Object.freeze(/** @type {const} */ (['styles', 'related']));
/**
 * Products of a list at most: by `count` (a real front end requests 19,089 in one call), by `ids` (skus too), and with something large included.
 * openapi.json and client/batches.js repeat them.
 */
const LIST_LIMITS = Object.freeze({ count: 20_000, ids: 500, with_large: 100 });

/** @param {string} include names by comma */
function isLargeInclude(include) {
  const names = include.split(',');
  return LARGE_INCLUDES.some((name) => names.includes(name));
}

/**
 * The weight of a list, in rows without includes: longer ones than SHORT_PAGE_ROWS have their own lane.
 * @param {number} count of products @param {string} include names by comma
 */
const rowsOf = (count, include) => (isLargeInclude(include) ? count * LARGE_INCLUDE_ROWS : count);

/** A line of an export is one of these. */
const EXPORT_VIEWS = Object.freeze(/** @type {const} */ (['card', 'product', 'full', 'id']));
/** A line of the view `full` is a product's own reply with these. */
const FULL_INCLUDE = 'styles,related_ids';

/** @typedef {(typeof EXPORT_VIEWS)[number]} ExportView */
/** @typedef {keyof typeof QUERY_PARAMETERS} RoutePath */
/** @typedef {(typeof QUERY_PARAMETERS)[RoutePath][number]} QueryParameter */

/** Headers that a page of another origin may read, beside those that every page may (Cache-Control, Content-Type, Content-Length …). */
const EXPOSED = 'Allow, Catalog-Cursor, Catalog-Version, ETag, Link, Retry-After, X-Request-Id, X-Total-Count';

/** A JSON reply is never a page: it loads nothing, and no page may frame it. */
const JSON_POLICY = "default-src 'none'; frame-ancestors 'none'";

/*
 * Numbers that several programs must agree on. JavaScript reads them here. tests/server/policy.test.js compares the shell scripts,
 * systemd units and alert rules that repeat them.
 */

/** V8's heap of a worker. Short bodies of L1 are in it, and a full heap ends the worker. */
const WORKER_HEAP_MB = 192;
/** PM2 restarts a worker above this: the heap, buffers outside it (longer bodies of L1, replies on the way) and the code. */
const WORKER_MAX_MB = WORKER_HEAP_MB + 256;
/** nginx closes a connection to a worker that was idle for so long. A worker must keep it longer, or a request meets a closing one. */
const UPSTREAM_IDLE_SECONDS = 60;
/** A client that takes nothing of its reply for so long loses its connection. */
const STALLED_READER_SECONDS = 30;
/**
 * Pages up to this length share the connections of documents. A page this long is about 100 KB and takes a
 * few milliseconds; a longer one has its own connection and may take seconds.
 */
const SHORT_PAGE_ROWS = 200;
/** A product with one of the large includes counts as so many rows: it has about as many bytes. */
const LARGE_INCLUDE_ROWS = 4;
/** nginx removes cached replies above this size, and is late: it looks every 10 s. */
const NGINX_CACHE_MB = 64;
/** So the cache may need this much for a moment. A node's tmpfs has it, and a reply that finds the tmpfs full is cut off. */
const NGINX_CACHE_PEAK_MB = 3 * NGINX_CACHE_MB;
/** Longer pages are not cached, or a peak would not fit. */
const CACHED_PAGE_ROWS = 50;
/** Documents under way for each worker; nginx refuses the next one. A thousand callers of one cold reply on two workers all get it. */
const DOCUMENTS_PER_WORKER = 512;
/** Exports under way in a worker; each takes the memory of one piece and, compressed, 0.3 MB. */
const EXPORTS_PER_WORKER = 2;

exports.QUERY_PARAMETERS = QUERY_PARAMETERS;
exports.IGNORED_PARAMETERS = IGNORED_PARAMETERS;
exports.FEATURE = FEATURE;
exports.FIELD = FIELD;
exports.ALL_FIELDS = ALL_FIELDS;
exports.UNCACHED_PARAMETERS = UNCACHED_PARAMETERS;
exports.UNCACHED_ROUTES = UNCACHED_ROUTES;
exports.isPostRoute = isPostRoute;
exports.KEYED_BY_URL = KEYED_BY_URL;
exports.SORTS = SORTS;
exports.FACETS = FACETS;
exports.SEARCH_LIMITS = SEARCH_LIMITS;
exports.INCLUDES = INCLUDES;
exports.JSON_LD = JSON_LD;
exports.SKU_INCLUDES = SKU_INCLUDES;
exports.LARGE_INCLUDES = LARGE_INCLUDES;
exports.LIST_LIMITS = LIST_LIMITS;
exports.EXPORT_VIEWS = EXPORT_VIEWS;
exports.FULL_INCLUDE = FULL_INCLUDE;
exports.isLargeInclude = isLargeInclude;
exports.rowsOf = rowsOf;
exports.EXPOSED = EXPOSED;
exports.JSON_POLICY = JSON_POLICY;
exports.WORKER_HEAP_MB = WORKER_HEAP_MB;
exports.WORKER_MAX_MB = WORKER_MAX_MB;
exports.UPSTREAM_IDLE_SECONDS = UPSTREAM_IDLE_SECONDS;
exports.STALLED_READER_SECONDS = STALLED_READER_SECONDS;
exports.SHORT_PAGE_ROWS = SHORT_PAGE_ROWS;
exports.LARGE_INCLUDE_ROWS = LARGE_INCLUDE_ROWS;
exports.NGINX_CACHE_MB = NGINX_CACHE_MB;
exports.NGINX_CACHE_PEAK_MB = NGINX_CACHE_PEAK_MB;
exports.CACHED_PAGE_ROWS = CACHED_PAGE_ROWS;
exports.DOCUMENTS_PER_WORKER = DOCUMENTS_PER_WORKER;
exports.EXPORTS_PER_WORKER = EXPORTS_PER_WORKER;
