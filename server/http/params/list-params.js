'use strict';

const { malformedParameter } = require('../../core/errors');
const { INCLUDES, JSON_LD, LARGE_INCLUDES, LIST_LIMITS, isLargeInclude } = require('../../core/policy');
const { MAX_INTEGER, asked, namesOf, parameter, queryOf, toPositiveInteger, valuesOf } = require('./params');
const { shown, unknownValue } = require('../../core/refusals');

/** A product has its features without being asked. */
const INCLUDES_OF_PRODUCT = [...INCLUDES.filter((name) => name !== 'features'), JSON_LD];

/** @typedef {{ page: number } | { after: number } | { ids: number[] }} Start */

/**
 * @param {string} url of the request @param {readonly string[]} names that it may have
 * @returns {string} names by comma, in one order
 * @throws {import('../../core/errors').Problem} 400
 */
function includeIn(url, names) {
  const query = queryOf(url);
  return query ? included(asked(query), names) : '';
}

/** @param {string} url */
const productInclude = (url) => includeIn(url, INCLUDES_OF_PRODUCT);

/**
 * @param {string} url of the request
 * @returns {Start & { count: number, include: string }} include: names by comma, in one order
 * @throws {import('../../core/errors').Problem} 400
 */
function listParams(url) {
  const given = queryOf(url);
  if (!given) return { page: 1, count: 5, include: '' };
  const query = asked(given);
  const include = included(query, INCLUDES);
  const isLarge = isLargeInclude(include);
  const ids = idsOf(query, isLarge);
  if (ids) return { ids, count: ids.length, include };
  const count =
    (isLarge
      ? parameter(query, 'count', LIST_LIMITS.with_large, becauseLarge)
      : parameter(query, 'count', LIST_LIMITS.count)) ?? 5;
  const after = parameter(query, 'after');
  const page = parameter(query, 'page');
  if (after === undefined) return { page: page ?? 1, count, include };
  if (page !== undefined)
    throw malformedParameter('page and after both say where a list starts. Give only one of them.');
  return { after, count, include };
}

const becauseLarge = ` with ${LARGE_INCLUDES.join(' or ')} included`;

/** @param {URLSearchParams} query @param {boolean} isLarge whether something large is included */
function idsOf(query, isLarge) {
  const other = /** @type {const} */ (['page', 'count', 'after']).find((name) => query.has(name));
  if (other && query.has('ids')) throw malformedParameter(`ids says which products a list has: leave out ${other}.`);
  return isLarge
    ? idsIn(query, 'products', LIST_LIMITS.with_large, becauseLarge)
    : idsIn(query, 'products', LIST_LIMITS.ids);
}

/** @param {URLSearchParams} query @param {string} what has these ids @param {number} max @param {string} [reason] of the limit */
function idsIn(query, what, max, reason = '') {
  const texts = valuesOf(query, 'ids');
  if (!texts) return null;
  if (texts.length > max)
    throw malformedParameter(`ids must name 1 to ${max} ${what}${reason}, and names ${texts.length}.`);
  return texts.map((text) => {
    const id = toPositiveInteger(text);
    if (Number.isNaN(id))
      throw malformedParameter(
        `ids must be whole numbers from 1 to ${MAX_INTEGER}, in decimal digits: ${shown(text)} is not one.`,
      );
    return id;
  });
}

/** Order and repetition do not matter. @param {URLSearchParams} query @param {readonly string[]} names that it may have */
function included(query, names) {
  const given = namesOf(query, 'include');
  const unknown = given.find((name) => !names.includes(name));
  if (unknown === JSON_LD)
    throw malformedParameter(`${JSON_LD} is made of one product: ask /products/:product_id?include=${JSON_LD} for it.`);
  if (unknown !== undefined) throw unknownValue('include', unknown, names);
  return names.filter((name) => given.includes(name)).join();
}

exports.idsIn = idsIn;
exports.includeIn = includeIn;
exports.included = included;
exports.productInclude = productInclude;
exports.listParams = listParams;
