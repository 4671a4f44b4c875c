'use strict';

const { malformedParameter } = require('../errors');
const { nearest } = require('./nearest');
const { shown } = require('./params');

/** Trackers and caches of browsers add these to any link. */
const IGNORED = /^(?:utm_.*|gclid|fbclid|_)$/;

/**
 * A misspelt parameter would silently widen what is asked for.
 * @param {URLSearchParams} query
 * @param {readonly string[]} names that it may have
 * @throws {import('../errors').Problem} 400 that names the nearest of them
 */
function requireKnownNames(query, names) {
  for (const name of query.keys()) {
    if (names.includes(name) || IGNORED.test(name)) continue;
    const meant = nearest(name, names);
    const hint = meant ? ` Did you mean "${meant}"?` : '';
    throw malformedParameter(`There is no parameter ${shown(name)} here, only ${names.join(', ')}.${hint}`);
  }
}

exports.requireKnownNames = requireKnownNames;
