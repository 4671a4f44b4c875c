'use strict';

/**
 * Cache keys: data version, route, normalised parameters (`include`: names by comma, in one order). Nothing else may be part of a
 * key: an unknown query parameter would bypass the cache. Releases share Redis: when a release writes a reply differently, its key
 * needs another name.
 */
const keys = {
  /** @param {string} version @param {import('../store/database').DocumentRoute} route @param {number} id */
  document: (version, route, id) => `${version}/${route}/${id}`,
  /** @param {string} version @param {number} id @param {string} include */
  product: (version, id, include) => `${version}/product/${id}/${include}`,
  /** @param {string} version @param {number} page @param {number} count */
  page: (version, page, count, include = '') => `${version}/lists/page/${page}/${count}/${include}`,
  /** @param {string} version @param {number} afterId @param {number} count */
  after: (version, afterId, count, include = '') => `${version}/lists/after/${afterId}/${count}/${include}`,
  /** @param {string} version @param {number[]} ids @param {string} include */
  batch: (version, ids, include) => `${version}/batch/${include}/${ids}`,
  /** @param {string} version @param {string} query its digest */
  search: (version, query) => `${version}/search/${query}`,
  /** @param {string} version @param {string} q @param {number} count */
  suggest: (version, q, count) => `${version}/suggest/${count}/${q}`,
  /** @param {string} version */
  menu: (version) => `${version}/catalog`,
};

/** @param {string} key @returns {string} the data version in it; empty for a key that has none */
const versionOf = (key) => key.slice(0, Math.max(0, key.indexOf('/')));

exports.keys = keys;
exports.versionOf = versionOf;
