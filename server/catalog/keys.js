'use strict';

const { createHash } = require('node:crypto');

/**
 * Cache keys: stamp, route, normalised parameters (`include`: names by comma, in one order). Nothing else may be part of a key: an
 * unknown query parameter would bypass the cache. Releases share Redis: when a release writes a reply differently, its key needs
 * another name.
 *
 * A stamp is the data version and, after a dot, the last commit that may have changed the reply since the load: of a document, that of
 * its slot (store/servers/log-position.js); of what shows several products, that of all of them (store/servers/lists.js).
 */
const keys = {
  /** @param {string} version @param {number} seq @param {import('../store/database').DocumentRoute} route @param {number} id */
  document: (version, seq, route, id) => `${version}.${seq}/${route}/${id}`,
  /** @param {string} stamp @param {number} id @param {string} include */
  product: (stamp, id, include) => `${stamp}/product/${id}/${include}`,
  /** @param {string} stamp @param {number} page @param {number} count */
  page: (stamp, page, count, include = '') => `${stamp}/lists/page/${page}/${count}/${include}`,
  /** @param {string} stamp @param {number} afterId @param {number} count */
  after: (stamp, afterId, count, include = '') => `${stamp}/lists/after/${afterId}/${count}/${include}`,
  /** @param {string} stamp @param {number[]} ids @param {string} include */
  batch: (stamp, ids, include) => `${stamp}/batch/${include}/${ids}`,
  /** @param {string} stamp @param {string} query its digest */
  search: (stamp, query) => `${stamp}/searches/${query}`,
  /** Texts of shoppers reach Redis as digests only. @param {string} stamp @param {string} q @param {number} count */
  suggest: (stamp, q, count) =>
    `${stamp}/suggestions/${createHash('sha256').update(`${count}/${q}`).digest('base64url')}`,
  /** @param {string} stamp */
  menu: (stamp) => `${stamp}/catalog`,
};

/** @param {string} key or stamp @returns {string} the data version in it; empty for a key that has none */
const versionOf = (key) => key.split('/', 1)[0].split('.', 1)[0];

exports.keys = keys;
exports.versionOf = versionOf;
