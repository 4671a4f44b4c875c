'use strict';

const { malformedParameter } = require('../../core/errors');
const { INCLUDES, LARGE_INCLUDES, LIST_LIMITS, isLargeInclude } = require('../../core/policy');
const { MAX_INTEGER, asked, namesOf, parameter, queryOf, toPositiveInteger, valuesOf } = require('./params');
const { shown, unknownValue } = require('./refusals');

/** A product has its features without being asked. */
const INCLUDES_OF_PRODUCT = INCLUDES.filter((name) => name !== 'features');

/** @typedef {{ page: number } | { after: number } | { ids: number[] }} Start */

/** @param {string} url of the request @returns {string} names by comma, in one order @throws {import('../../core/errors').Problem} 400 */
function productInclude(url) {
  const query = queryOf(url);
  return query ? included(asked(query), INCLUDES_OF_PRODUCT) : '';
}

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
  const texts = valuesOf(query, 'ids');
  if (!texts) return null;
  const other = /** @type {const} */ (['page', 'count', 'after']).find((name) => query.has(name));
  if (other) throw malformedParameter(`ids says which products a list has: leave out ${other}.`);
  const max = isLarge ? LIST_LIMITS.with_large : LIST_LIMITS.ids;
  if (texts.length > max)
    throw malformedParameter(
      `ids must name 1 to ${max} products${isLarge ? becauseLarge : ''}, and names ${texts.length}.`,
    );
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
  if (unknown !== undefined) throw unknownValue('include', unknown, names);
  return names.filter((name) => given.includes(name)).join();
}

exports.productInclude = productInclude;
exports.listParams = listParams;
