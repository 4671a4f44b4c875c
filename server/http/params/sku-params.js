'use strict';

const { malformedParameter } = require('../../core/errors');
const { FIELD, LIST_LIMITS, SKU_INCLUDES } = require('../../core/policy');
const { queryIn } = require('./known-names');
const { idsIn, includeIn, included } = require('./list-params');

/** @param {string} url */
const skuInclude = (url) => includeIn(url, SKU_INCLUDES);

/**
 * @param {string} url of the request @param {string[]} lookups declared names of fields by which skus are looked up
 * @returns {({ ids: number[] } | { field: string, values: string[] }) & { include: string }}
 * @throws {import('../../core/errors').Problem} 400
 */
function skuParams(url, lookups) {
  const names = ['ids', ...lookups.map((name) => FIELD + name)];
  const query = queryIn({ url }, [...names, 'include']);
  const [name, other] = names.filter((each) => query.has(each));
  if (!name || other)
    throw malformedParameter(
      `Say which skus, by one parameter: ${names.join(' or ')} (1 to ${LIST_LIMITS.ids} values).`,
    );
  const include = included(query, SKU_INCLUDES);
  const ids = idsIn(query, 'skus', LIST_LIMITS.ids);
  return ids ? { ids, include } : { field: name.slice(FIELD.length), values: valuesOf(query, name), include };
}

/** @param {URLSearchParams} query @param {string} name @returns {string[]} without repeats, in one order */
function valuesOf(query, name) {
  const values = [...new Set(query.getAll(name))].sort();
  if (values.length > LIST_LIMITS.ids)
    throw malformedParameter(`${name} may have 1 to ${LIST_LIMITS.ids} values, and has ${values.length}.`);
  if (values.some((value) => value.includes('\0')))
    throw malformedParameter(`${name} must not have the character U+0000.`);
  return values;
}

exports.skuInclude = skuInclude;
exports.skuParams = skuParams;
