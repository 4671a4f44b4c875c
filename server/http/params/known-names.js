'use strict';

const { FEATURE, FIELD, IGNORED_PARAMETERS } = require('../../core/policy');
const { asked, queryOf } = require('./params');
const { unknownName } = require('../../core/refusals');

/** @param {string} name */
function isIgnored(name) {
  const { endings, beginnings, names } = IGNORED_PARAMETERS;
  return (
    names.includes(name) ||
    beginnings.some((each) => name.startsWith(each)) ||
    endings.some((each) => name.endsWith(each))
  );
}

/** @param {string} name @param {string} prefix */
const isNamed = (name, prefix) => name.startsWith(prefix) && name !== prefix;

/**
 * A misspelt parameter would silently widen what is asked for.
 * @param {URLSearchParams} query
 * @param {readonly string[]} names that it may have
 * @throws {import('../../core/errors').Problem} 400 that names the nearest of them
 */
function requireKnownNames(query, names) {
  for (const name of query.keys()) {
    if (names.includes(name) || isIgnored(name)) continue;
    if ([FEATURE, FIELD].some((each) => isNamed(name, each) && names.includes(`${each}NAME`))) continue;
    throw unknownName(name, names);
  }
}

/** @param {{ url?: string }} req @param {readonly string[]} names that its query may have @returns {URLSearchParams} what it asks for */
function queryIn({ url }, names) {
  const query = queryOf(String(url));
  if (!query) return new URLSearchParams();
  requireKnownNames(query, names);
  return asked(query);
}

exports.isNamed = isNamed;
exports.queryIn = queryIn;
