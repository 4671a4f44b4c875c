'use strict';

const { malformedParameter } = require('../../core/errors');
const { FACETS, FEATURE, FIELD, QUERY_PARAMETERS, SEARCH_LIMITS, SORTS } = require('../../core/policy');
const { isNamed, queryIn } = require('./known-names');
const { namesOf, oneOf, parameter, textOf } = require('./params');
const { shown, unknownValue } = require('../../core/refusals');

const PRICE = /^[0-9]{1,20}(?:\.[0-9]{1,18})?$/;
/** Code points of a value, or of a feature's name, that has a set: as in etl/search/products.py. */
const MAX_VALUE = 200;
const WHOLE = /^(?:0|[1-9][0-9]{0,9})$/;

/** @typedef {import('../../search/answers/query').Query} Query @typedef {import('../../core/policy').QueryParameter} Name */

/**
 * Order and repetition of filters and facets do not matter: they come out in one order.
 * @param {string} url of the request
 * @returns {Query}
 * @throws {import('../../core/errors').Problem} 400 that names the parameter, its range and the nearest name
 */
function searchParams(url) {
  const query = queryIn({ url }, QUERY_PARAMETERS['/search']);
  const after = textOf(query, 'after') ?? null;
  const page = parameter(query, 'page');
  if (after !== null && page !== undefined)
    throw malformedParameter('page and after both say where a page starts. Give only one of them.');
  return {
    q: textOf(query, 'q') ?? '',
    filters: filtersOf(query),
    onSale: flag(query, 'on_sale'),
    inStock: flag(query, 'in_stock'),
    minPrice: price(query, 'min_price'),
    maxPrice: price(query, 'max_price'),
    sort: sortIn(query),
    count: whole(query, 'count', SEARCH_LIMITS.count) ?? SEARCH_LIMITS.default_count,
    page: page ?? 1,
    after,
    facets: facetsOf(query),
    facetValues: parameter(query, 'facet_values', SEARCH_LIMITS.facet_values) ?? SEARCH_LIMITS.default_facet_values,
  };
}

/** @param {string} url of the request @returns {{ q: string, count: number }} @throws {import('../../core/errors').Problem} 400 */
function suggestParams(url) {
  const query = queryIn({ url }, QUERY_PARAMETERS['/suggest']);
  const count = parameter(query, 'count', SEARCH_LIMITS.suggestions) ?? SEARCH_LIMITS.default_suggestions;
  return { q: textOf(query, 'q') ?? '', count };
}

/** @param {string} url of the request @throws {import('../../core/errors').Problem} 400 for any parameter */
const noParams = (url) => void queryIn({ url }, []);

/** @param {URLSearchParams} query @returns {Record<string, string[]>} */
function filtersOf(query) {
  const names = [...new Set(query.keys())].filter(
    (name) => name === 'category' || name === 'size' || name.startsWith(FEATURE) || name.startsWith(FIELD),
  );
  const filters = names.sort().map((name) => /** @type {const} */ ([name, [...new Set(query.getAll(name))].sort()]));
  for (const [name, values] of filters)
    if ([name.replace(FEATURE, ''), ...values].some((text) => [...text].length > MAX_VALUE))
      throw malformedParameter(
        `${shown(name)}: a value or a name of more than ${MAX_VALUE} characters has no filter. Search for its words with q.`,
      );
  const count = filters.reduce((sum, [, values]) => sum + values.length, 0);
  if (count > SEARCH_LIMITS.filter_values)
    throw malformedParameter(
      `The filters may have 1 to ${SEARCH_LIMITS.filter_values} values in all, and have ${count}.`,
    );
  return Object.fromEntries(filters);
}

/** The load says which fields sort. @param {URLSearchParams} query @returns {Query['sort']} */
function sortIn(query) {
  const text = textOf(query, 'sort');
  if (text && isNamed(text.replace(/^-/, ''), FIELD)) return /** @type {`field.${string}`} */ (text);
  if (text && !SORTS.some((each) => each === text)) throw unknownValue('sort', text, [...SORTS, 'field.NAME']);
  return oneOf(query, 'sort', SORTS);
}

/** @param {URLSearchParams} query @param {Name} name */
function flag(query, name) {
  const text = textOf(query, name);
  if (text !== undefined && text !== 'true')
    throw malformedParameter(`${name} may be true or false, and not ${shown(text)}.`);
  return text === 'true';
}

/** @param {URLSearchParams} query @param {Name} name */
function price(query, name) {
  const text = textOf(query, name);
  if (text !== undefined && !PRICE.test(text))
    throw malformedParameter(`${name} must be a price from 0 in decimal digits, as 49.90, and not ${shown(text)}.`);
  return text ?? null;
}

/** As `parameter`, but from 0. @param {URLSearchParams} query @param {Name} name @param {number} max */
function whole(query, name, max) {
  const text = textOf(query, name);
  if (text === undefined) return undefined;
  if (!WHOLE.test(text) || Number(text) > max)
    throw malformedParameter(`${name} must be a whole number from 0 to ${max}, in decimal digits.`);
  return Number(text);
}

/** @param {URLSearchParams} query @returns {string[]} */
function facetsOf(query) {
  const given = new Set(namesOf(query, 'facets'));
  const isOne = (/** @type {string} */ name) => isNamed(name, FEATURE) || isNamed(name, FIELD);
  for (const name of given)
    if (!isOne(name) && !FACETS.some((each) => each === name))
      throw unknownValue('facets', name, [...FACETS, 'field.NAME']);
  return [...FACETS.filter((name) => given.has(name)), ...[...given].filter(isOne).sort()];
}

exports.searchParams = searchParams;
exports.suggestParams = suggestParams;
exports.noParams = noParams;
