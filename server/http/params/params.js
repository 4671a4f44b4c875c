'use strict';

const { malformedParameter } = require('../../core/errors');
const { FEATURE, FIELD } = require('../../core/policy');
const { unknownValue } = require('../../core/refusals');

/** The largest id: PostgreSQL's integer. Checked here, since an error in SQL would cost a round trip. */
const MAX_INTEGER = 2147483647;
const POSITIVE_INTEGER = /^[1-9][0-9]{0,9}$/;

/** @typedef {import('../../core/policy').QueryParameter | 'before' | 'limit' | 'to'} QueryParameter the last three: of the writer */

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

/** @param {import('express').Request} req @throws {import('../../core/errors').Problem} 400 */
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

/** Their values are any text, so "false" is one, too. */
const TEXTS = ['q', 'category', 'size'];

/** @param {string} name @param {string} value */
const isAsked = (name, value) =>
  value !== '' && (value !== 'false' || TEXTS.includes(name) || [FEATURE, FIELD].some((each) => name.startsWith(each)));

/**
 * A form sends its empty fields, and a program a flag that is false: both are as if left out, in each parameter of each route.
 * @param {URLSearchParams} query
 */
function asked(query) {
  const pairs = [...query];
  return pairs.every((pair) => isAsked(...pair))
    ? query
    : new URLSearchParams(pairs.filter((pair) => isAsked(...pair)));
}

/** Names in a parameter of several; their places do not matter. @param {URLSearchParams} query @param {QueryParameter} name */
const namesOf = (query, name) => (valuesOf(query, name) ?? []).filter((value) => isAsked(name, value));

/** A parameter of several values: repeated, or by comma. @param {URLSearchParams} query @param {QueryParameter} name */
function valuesOf(query, name) {
  const values = query.getAll(name);
  return values.length > 0 ? values.flatMap((value) => value.split(',')) : null;
}

/** @param {URLSearchParams} query @param {QueryParameter} name @param {number} [max] @param {string} [reason] of the limit */
function parameter(query, name, max, reason) {
  const text = textOf(query, name);
  return text === undefined ? undefined : positiveInteger(text, name, max, reason);
}

/**
 * @template {string} T
 * @param {URLSearchParams} query @param {QueryParameter} name @param {readonly T[]} values that it may have
 * @returns {T | null} null when it is not given
 */
function oneOf(query, name, values) {
  const text = textOf(query, name);
  const found = values.find((each) => each === text);
  if (text !== undefined && !found) throw unknownValue(name, text, values);
  return found ?? null;
}

/** @param {URLSearchParams} query @param {QueryParameter} name of a parameter with one value */
function textOf(query, name) {
  const values = query.getAll(name);
  if (values.length > 1) throw malformedParameter(`${name} is given ${values.length} times. Give it once.`);
  return values.at(0);
}

exports.MAX_INTEGER = MAX_INTEGER;
exports.asked = asked;
exports.namesOf = namesOf;
exports.toPositiveInteger = toPositiveInteger;
exports.queryOf = queryOf;
exports.oneOf = oneOf;
exports.parameter = parameter;
exports.textOf = textOf;
exports.valuesOf = valuesOf;
exports.positiveInteger = positiveInteger;
exports.productId = productId;
