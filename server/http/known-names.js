'use strict';

const { queryOf } = require('./params');
const { unknownName } = require('./refusals');

/** Trackers and caches of browsers add these to any link. */
const IGNORED = /^(?:utm_.*|gclid|fbclid|_)$/;
/** Before the name of a feature; a list of names that has it with NAME has all of them. */
const FEATURE = 'feature.';

/**
 * A misspelt parameter would silently widen what is asked for.
 * @param {URLSearchParams} query
 * @param {readonly string[]} names that it may have
 * @throws {import('../errors').Problem} 400 that names the nearest of them
 */
function requireKnownNames(query, names) {
  for (const name of query.keys()) {
    if (names.includes(name) || IGNORED.test(name)) continue;
    if (name.startsWith(FEATURE) && name !== FEATURE && names.includes(`${FEATURE}NAME`)) continue;
    throw unknownName(name, names);
  }
}

/** @param {import('node:http').IncomingMessage} req @param {readonly string[]} names that its query may have */
function queryIn(req, names) {
  const query = queryOf(String(req.url)) ?? new URLSearchParams();
  requireKnownNames(query, names);
  return query;
}

exports.FEATURE = FEATURE;
exports.queryIn = queryIn;
exports.requireKnownNames = requireKnownNames;
