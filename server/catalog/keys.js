'use strict';

/**
 * Cache keys: data version, route, normalised parameters. Nothing else may take part: an unknown query
 * parameter in a key would be a way around the cache.
 */
const keys = {
  /** @param {string} version @param {'product' | 'styles' | 'related'} route @param {number} id */
  document: (version, route, id) => `${version}/${route}/${id}`,
  /** @param {string} version @param {number} page @param {number} count */
  page: (version, page, count) => `${version}/page/${page}/${count}`,
  /** @param {string} version @param {number} afterId @param {number} count */
  after: (version, afterId, count) => `${version}/after/${afterId}/${count}`,
};

exports.keys = keys;
