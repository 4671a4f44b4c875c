'use strict';

/** How long a client should wait after a 503. Reconnects are tried once a second, so sooner is useless. */
const RETRY_AFTER_SECONDS = 1;
/** The longest body of a request that workers and nginx read and drop. */
const MAX_BODY_BYTES = 16 * 1024;
const BODY_TOO_LARGE = `The body is longer than ${MAX_BODY_BYTES} bytes. Send a shorter one to UCP, and none to any other route.`;
const REQUEST_LATE = 'The request did not arrive completely in time. Send it again on a new connection.';
const FAILED = 'The service failed. Report the instance: the log has the cause under its id.';
/** The end of each detail of a 503 that passes. */
const RETRY = `Retry after ${RETRY_AFTER_SECONDS} s.`;

/**
 * All problems that a reply can have (RFC 9457). `type` is `urn:catalog:problem:<slug>`; clients
 * switch on it, so a slug never changes its meaning.
 * @type {Readonly<Record<string, { slug: string, status: number, title: string }>>}
 */
const PROBLEMS = Object.freeze({
  malformedRequest: { slug: 'malformed-request', status: 400, title: 'Malformed request' },
  malformedParameter: { slug: 'malformed-parameter', status: 400, title: 'Malformed parameter' },
  unknownProduct: { slug: 'unknown-product', status: 404, title: 'Unknown product' },
  hiddenProduct: { slug: 'hidden-product', status: 404, title: 'Hidden product' },
  unknownSku: { slug: 'unknown-sku', status: 404, title: 'Unknown sku' },
  unknownPath: { slug: 'unknown-path', status: 404, title: 'Unknown path' },
  methodNotAllowed: { slug: 'method-not-allowed', status: 405, title: 'Method not allowed' },
  cursorForked: { slug: 'cursor-forked', status: 410, title: 'Cursor forked' },
  preconditionFailed: { slug: 'precondition-failed', status: 412, title: 'Precondition failed' },
  contentTooLarge: { slug: 'content-too-large', status: 413, title: 'Content too large' },
  expectationFailed: { slug: 'expectation-failed', status: 417, title: 'Expectation failed' },
  requestTimeout: { slug: 'request-timeout', status: 408, title: 'Request timeout' },
  headersTooLarge: { slug: 'headers-too-large', status: 431, title: 'Headers too large' },
  internal: { slug: 'internal-error', status: 500, title: 'Internal error' },
  overloaded: { slug: 'overloaded', status: 503, title: 'Overloaded' },
  notYet: { slug: 'not-yet', status: 503, title: 'Not yet' },
  unavailable: { slug: 'unavailable', status: 503, title: 'Unavailable' },
  withoutSearch: { slug: 'without-search', status: 503, title: 'Loaded without search' },
  withoutSkus: { slug: 'without-skus', status: 503, title: 'Loaded without skus' },
  withoutShop: { slug: 'without-shop', status: 404, title: 'Without a shop' },
});

/** An error whose whole content may be shown to the caller. */
class Problem extends Error {
  /**
   * @param {{ slug: string, status: number, title: string }} kind one of PROBLEMS
   * @param {string} detail what the caller should know about this occurrence
   * @param {{ headers?: Record<string, string>, members?: object, cause?: unknown }} [more] members: further ones of the body
   */
  constructor(kind, detail, { headers = {}, members = {}, cause } = {}) {
    super(detail, { cause });
    this.kind = kind;
    this.members = members;
    this.status = kind.status;
    const passes = kind.status === 503 && kind !== PROBLEMS.withoutSearch && kind !== PROBLEMS.withoutSkus;
    this.headers = passes ? { 'Retry-After': String(RETRY_AFTER_SECONDS), ...headers } : headers;
  }
}

/** @param {number} id @param {string} version of the data in which it is unknown */
const unknownProduct = (id, version) =>
  new Problem(PROBLEMS.unknownProduct, `There is no product ${id} in the catalog.`, {
    headers: { 'Catalog-Version': version },
  });

/** @param {number} id @param {string} version of the data in which it is hidden */
const hiddenProduct = (id, version) =>
  new Problem(PROBLEMS.hiddenProduct, `Product ${id} is hidden. It may come back.`, {
    headers: { 'Catalog-Version': version },
  });

/** @param {number} id @param {string} version of the data in which it is unknown */
const unknownSku = (id, version) =>
  new Problem(PROBLEMS.unknownSku, `There is no sku ${id} in the catalog.`, {
    headers: { 'Catalog-Version': version },
  });

/** @param {string} detail @param {unknown} [cause] */
const unavailable = (detail, cause) => new Problem(PROBLEMS.unavailable, detail, { cause });

const withoutSearch = () =>
  new Problem(PROBLEMS.withoutSearch, 'This catalog was loaded without search. Load it again: npm run load -- DIR.');

/** @param {unknown} cause */
const withoutSkus = (cause) =>
  new Problem(
    PROBLEMS.withoutSkus,
    'An earlier release loaded this catalog, without keys of skus. Build them: npm run etl -- writable.',
    { cause },
  );

const HOW_TO_NAME_SHOP = 'set SHOP_NAME, SHOP_CURRENCY and SHOP_PRODUCT_URL of the workers.';

/** @param {string} subject as "Sitemaps need" */
const withoutShop = (subject) =>
  new Problem(PROBLEMS.withoutShop, `${subject} the profile of the shop: ${HOW_TO_NAME_SHOP}`);

/** @param {string} detail */
const overloaded = (detail) => new Problem(PROBLEMS.overloaded, detail);

/** @param {string} detail */
const malformedParameter = (detail) => new Problem(PROBLEMS.malformedParameter, detail);

exports.HOW_TO_NAME_SHOP = HOW_TO_NAME_SHOP;
exports.RETRY_AFTER_SECONDS = RETRY_AFTER_SECONDS;
exports.MAX_BODY_BYTES = MAX_BODY_BYTES;
exports.BODY_TOO_LARGE = BODY_TOO_LARGE;
exports.REQUEST_LATE = REQUEST_LATE;
exports.FAILED = FAILED;
exports.RETRY = RETRY;
exports.PROBLEMS = PROBLEMS;
exports.Problem = Problem;
exports.unknownProduct = unknownProduct;
exports.hiddenProduct = hiddenProduct;
exports.unknownSku = unknownSku;
exports.unavailable = unavailable;
exports.withoutSearch = withoutSearch;
exports.withoutSkus = withoutSkus;
exports.withoutShop = withoutShop;
exports.overloaded = overloaded;
exports.malformedParameter = malformedParameter;
