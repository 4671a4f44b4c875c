'use strict';

/**
 * Cache keys: data version, route, normalised parameters. Nothing else may be part of a key: an unknown query
 * parameter would bypass the cache. Releases share Redis: when a release writes a reply differently, its key needs
 * another name.
 */
const keys = {
  /** @param {string} version @param {import('../store/database').DocumentRoute} route @param {number} id */
  document: (version, route, id) => `${version}/${route}/${id}`,
  /** @param {string} version @param {number} page @param {number} count */
  page: (version, page, count) => `${version}/list/page/${page}/${count}`,
  /** @param {string} version @param {number} afterId @param {number} count */
  after: (version, afterId, count) => `${version}/list/after/${afterId}/${count}`,
};

exports.keys = keys;
