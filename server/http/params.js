'use strict';

const { malformedParameter } = require('../errors');
const { INCLUDES, LARGE_INCLUDES, isLargeInclude } = require('../policy');
const { nearest } = require('./nearest');

/** The largest id: PostgreSQL's integer. Checked here, since an error in SQL would cost a round trip. */
const MAX_INTEGER = 2147483647;
/** A real front end requests 19,089 products in one call. */
const MAX_COUNT = 20000;
const MAX_IDS = 500;
/** Products of a list that includes something large. */
const MAX_WITH_LARGE = 100;
const POSITIVE_INTEGER = /^[1-9][0-9]{0,9}$/;
/** A product has its features without being asked. */
const INCLUDES_OF_PRODUCT = INCLUDES.filter((name) => name !== 'features');
/** Of a value that an error repeats. */
const SHOWN_LENGTH = 40;

/** @typedef {import('../policy').QueryParameter} QueryParameter */
/** @typedef {{ page: number } | { after: number } | { ids: number[] }} Start */

/** @param {string} text @param {number} [max] @returns {number} NaN for anything else than a whole number from 1 to `max` */
function toPositiveInteger(text, max = MAX_INTEGER) {
  const value = POSITIVE_INTEGER.test(text) ? Number(text) : NaN;
  return value <= max ? value : NaN;
}

/**
 * @param {string} text
 * @param {string} name of the parameter, for the message
 * @param {number} [max]
 * @param {string} [reason] of the limit
 */
function positiveInteger(text, name, max = MAX_INTEGER, reason = '') {
  const value = toPositiveInteger(text, max);
  if (Number.isNaN(value))
    throw malformedParameter(`${name} must be a whole number from 1 to ${max}${reason}, in decimal digits.`);
  return value;
}

/** @param {import('express').Request} req @throws {import('../errors').Problem} 400 */
const productId = (req) => positiveInteger(String(req.params.product_id), 'product_id');

/**
 * Keep the "?": the constructor strips one. Without it, "??page=2" would lose its second one too and be read as page 2. nginx
 * does not read it so, and would cache that reply as page 1.
 * @param {string} url of the request @returns {URLSearchParams | null} null without a query
 */
function queryOf(url) {
  const mark = url.indexOf('?');
  return mark < 0 ? null : new URLSearchParams(url.slice(mark));
}

/** @param {string} url of the request @returns {string} names by comma, in one order @throws {import('../errors').Problem} 400 */
function productInclude(url) {
  const query = queryOf(url);
  return query ? included(query, INCLUDES_OF_PRODUCT) : '';
}

/**
 * @param {string} url of the request
 * @returns {Start & { count: number, include: string }} include: names by comma, in one order
 * @throws {import('../errors').Problem} 400
 */
function listParams(url) {
  const query = queryOf(url);
  if (!query) return { page: 1, count: 5, include: '' };
  const include = included(query, INCLUDES);
  const isLarge = isLargeInclude(include);
  const ids = idsOf(query, isLarge);
  if (ids) return { ids, count: ids.length, include };
  const count =
    (isLarge ? parameter(query, 'count', MAX_WITH_LARGE, becauseLarge) : parameter(query, 'count', MAX_COUNT)) ?? 5;
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
  const max = isLarge ? MAX_WITH_LARGE : MAX_IDS;
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
  const given = valuesOf(query, 'include') ?? [];
  const unknown = given.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, names);
    const hint = meant ? ` Did you mean "${meant}"?` : '';
    throw malformedParameter(`include may name ${names.join(', ')}, and ${shown(unknown)} is none of them.${hint}`);
  }
  return names.filter((name) => given.includes(name)).join();
}

/** A parameter of several values: repeated, or by comma. @param {URLSearchParams} query @param {QueryParameter} name */
function valuesOf(query, name) {
  const values = query.getAll(name);
  return values.length > 0 ? values.flatMap((value) => value.split(',')) : null;
}

/** @param {string} text */
const shown = (text) => JSON.stringify(text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text);

/** @param {URLSearchParams} query @param {QueryParameter} name @param {number} [max] @param {string} [reason] of the limit */
function parameter(query, name, max, reason) {
  const text = textOf(query, name);
  return text === undefined ? undefined : positiveInteger(text, name, max, reason);
}

/** @param {URLSearchParams} query @param {QueryParameter} name of a parameter with one value */
function textOf(query, name) {
  const values = query.getAll(name);
  if (values.length > 1) throw malformedParameter(`${name} is given ${values.length} times. Give it once.`);
  return values.at(0);
}

exports.queryOf = queryOf;
exports.shown = shown;
exports.parameter = parameter;
exports.textOf = textOf;
exports.valuesOf = valuesOf;

exports.productId = productId;
exports.productInclude = productInclude;
exports.listParams = listParams;
