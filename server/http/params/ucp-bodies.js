'use strict';

const { SEARCH_LIMITS } = require('../../core/policy');
const { shown } = require('../../core/refusals');

const DEFAULT_LIMIT = 10;
/** Characters of a category or an id; a value of a filter has no more (search-params.js). */
const MAX_TEXT = 200;

/** A body that is not what the specification says. */
class MalformedBody extends Error {
  /** @param {string} path JSONPath of the member @param {string} detail what it must be @param {string} [code] */
  constructor(path, detail, code = 'invalid_request') {
    super(detail);
    this.path = path;
    this.code = code;
  }
}

/** @typedef {{ says: string, fits: (value: any) => boolean }} Kind */
const isText = (/** @type {unknown} */ value) => typeof value === 'string';
const isObject = (/** @type {unknown} */ value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @type {Record<'text' | 'texts' | 'object' | 'amount' | 'limit' | 'selections', Kind>} */
const KINDS = {
  text: { says: 'a string', fits: isText },
  texts: { says: 'a list of strings', fits: (value) => Array.isArray(value) && value.every(isText) },
  object: { says: 'an object', fits: isObject },
  amount: {
    says: 'a whole number of minor units from 0',
    fits: (value) => Number.isSafeInteger(value) && value >= 0,
  },
  limit: { says: 'a whole number from 1', fits: (value) => Number.isSafeInteger(value) && value >= 1 },
  selections: {
    says: 'a list of {"name": …, "label": …}',
    fits: (value) =>
      Array.isArray(value) &&
      value.every(
        (one) => isObject(one) && isText(one.name) && isText(one.label) && (one.id === undefined || isText(one.id)),
      ),
  },
};

/**
 * A member of an object of the body.
 * @param {any} owner undefined: the object itself is not given @param {string} path of the member, as `$.filters.price` @param {Kind} kind
 * @returns {any} undefined when it is not given
 */
function member(owner, path, kind) {
  const value = owner?.[path.slice(path.lastIndexOf('.') + 1)];
  if (value === undefined || kind.fits(value)) return value;
  throw new MalformedBody(path, `${path} must be ${kind.says}, and not ${shown(JSON.stringify(value))}.`);
}

/** @param {any} value @param {string} path @param {string} what */
function required(value, path, what) {
  if (value === undefined) throw new MalformedBody(path, `${path} is missing. Give ${what}.`);
  return value;
}

/** @param {unknown[]} list @param {string} path @param {number} most */
function requireShort(list, path, most) {
  if (list.length > most)
    throw new MalformedBody(path, `${path} may have ${most} values, and has ${list.length}.`, 'request_too_large');
}

/** @param {Buffer | undefined} bytes of a body @returns {any} @throws {Error} they are not JSON in UTF-8 */
const jsonIn = (bytes) => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes ?? Buffer.alloc(0)));

/** @param {Buffer | undefined} bytes @returns {any} an object @throws {MalformedBody} */
function bodyIn(bytes) {
  let body;
  try {
    body = jsonIn(bytes);
  } catch {
    throw new MalformedBody('$', 'The body is not JSON in UTF-8. Send an object, such as {"query": "jacket"}.');
  }
  if (!isObject(body)) throw new MalformedBody('$', 'The body must be an object, such as {"query": "jacket"}.');
  return body;
}

/** @param {any} body @returns {import('../../catalog/ucp').Filters} */
function filtersIn(body) {
  const filters = member(body, '$.filters', KINDS.object);
  const price = member(filters, '$.filters.price', KINDS.object);
  const categories = member(filters, '$.filters.categories', KINDS.texts) ?? null;
  const context = member(body, '$.context', KINDS.object);
  if (categories) requireShort(categories, '$.filters.categories', SEARCH_LIMITS.filter_values);
  if (categories?.some((/** @type {string} */ one) => [...one].length > MAX_TEXT))
    throw new MalformedBody('$.filters.categories', `A category has at most ${MAX_TEXT} characters.`);
  return {
    categories,
    min: member(price, '$.filters.price.min', KINDS.amount) ?? null,
    max: member(price, '$.filters.price.max', KINDS.amount) ?? null,
    currency: member(context, '$.context.currency', KINDS.text) ?? null,
  };
}

/** @param {any} body an object */
function searchBody(body) {
  const pagination = member(body, '$.pagination', KINDS.object);
  return {
    q: /** @type {string} */ (member(body, '$.query', KINDS.text) ?? ''),
    filters: filtersIn(body),
    cursor: /** @type {string | null} */ (member(pagination, '$.pagination.cursor', KINDS.text) ?? null),
    limit: /** @type {number} */ (member(pagination, '$.pagination.limit', KINDS.limit) ?? DEFAULT_LIMIT),
  };
}

/** @param {any} body an object @param {number} most ids */
function lookupBody(body, most) {
  /** @type {string[]} */
  const ids = required(member(body, '$.ids', KINDS.texts), '$.ids', 'ids of products or variants');
  if (ids.length === 0) throw new MalformedBody('$.ids', '$.ids is empty. Give ids of products or variants.');
  requireShort(ids, '$.ids', most);
  return { ids, filters: filtersIn(body) };
}

/** @param {any} body an object */
function productBody(body) {
  /** @type {import('../../catalog/ucp-products').Selection[] | null} */
  const selected = member(body, '$.selected', KINDS.selections) ?? null;
  if (selected && new Set(selected.map(({ name }) => name)).size < selected.length)
    throw new MalformedBody('$.selected', '$.selected has an option twice. Select one value of each.');
  return {
    id: /** @type {string} */ (required(member(body, '$.id', KINDS.text), '$.id', 'the id of a product or variant')),
    selected,
    preferences: /** @type {string[]} */ (member(body, '$.preferences', KINDS.texts) ?? []),
    filters: filtersIn(body),
  };
}

exports.MalformedBody = MalformedBody;
exports.isObject = isObject;
exports.jsonIn = jsonIn;
exports.bodyIn = bodyIn;
exports.searchBody = searchBody;
exports.lookupBody = lookupBody;
exports.productBody = productBody;
