'use strict';

const { malformedParameter } = require('../errors');

/** The largest id: PostgreSQL's integer. Checked here, since an error in SQL would cost a round trip. */
const MAX_INTEGER = 2147483647;
/** A real front end requests 19,089 products in one call. */
const MAX_COUNT = 20000;
const POSITIVE_INTEGER = /^[1-9][0-9]{0,9}$/;

/**
 * @param {string} text
 * @param {string} name of the parameter, for the message
 * @param {number} [max]
 */
function positiveInteger(text, name, max = MAX_INTEGER) {
  const value = POSITIVE_INTEGER.test(text) ? Number(text) : NaN;
  if (!(value <= max)) throw malformedParameter(`${name} must be a whole number from 1 to ${max}, in decimal digits.`);
  return value;
}

/** @param {import('express').Request} req @throws {import('../errors').Problem} 400 */
const productId = (req) => positiveInteger(String(req.params.product_id), 'product_id');

/**
 * @param {string} url of the request
 * @returns {{ page: number, count: number } | { after: number, count: number }}
 * @throws {import('../errors').Problem} 400
 */
function listParams(url) {
  const mark = url.indexOf('?');
  if (mark < 0) return { page: 1, count: 5 };
  // Keep the "?": the constructor strips one. Without it, "??page=2" would lose its second one too and be read as page 2. nginx
  // does not read it so, and would cache that reply as page 1.
  const query = new URLSearchParams(url.slice(mark));
  const count = parameter(query, 'count', MAX_COUNT) ?? 5;
  const after = parameter(query, 'after');
  const page = parameter(query, 'page');
  if (after === undefined) return { page: page ?? 1, count };
  if (page !== undefined)
    throw malformedParameter('page and after both say where a list starts. Give only one of them.');
  return { after, count };
}

/** @param {URLSearchParams} query @param {import('../policy').QueryParameter} name @param {number} [max] */
function parameter(query, name, max) {
  const values = query.getAll(name);
  if (values.length === 0) return undefined;
  if (values.length > 1) throw malformedParameter(`${name} is given ${values.length} times. Give it once.`);
  return positiveInteger(values[0], name, max);
}

exports.productId = productId;
exports.listParams = listParams;
