'use strict';

/**
 * Cache keys: data version, route, normalised parameters. Nothing else may take part: an unknown query
 * parameter in a key would be a way around the cache. Releases share Redis: a reply that another release would write
 * differently takes another name here (lists were `page/…` while their Link had the path).
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
