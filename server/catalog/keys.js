'use strict';

const { createHash } = require('node:crypto');

const FORM = 2;

/** @typedef {import('./shop').Shop | null} Shop */

/**
 * Cache keys: stamp, form, route, normalised parameters (`include`: names by comma, in one order). Nothing else may be part of a key: an
 * unknown query parameter would bypass the cache. Releases share Redis: when a release writes replies differently, FORM needs another
 * number, or workers of both would serve what the other one wrote.
 *
 * A stamp is the data version and, after a dot, the last commit that may have changed the reply since the load: of a document, that of
 * its slot (store/servers/log-position.js); of what shows several products, that of all of them (store/servers/lists.js). That of skus is the
 * last commit at all: which product a sku belongs to is known only once it is read, and lists would be a second later.
 */
const keys = {
  /** @param {string} version @param {number} seq @param {import('../store/database').DocumentRoute} route @param {number} id */
  document: (version, seq, route, id) => `${version}.${seq}/${FORM}/${route}/${id}`,
  /** @param {string} stamp @param {number} id @param {string} include @param {Shop} [shop] whose profile is in the reply */
  product: (stamp, id, include, shop = null) => `${stamp}/${FORM}/product/${id}/${include}${ofShop(shop)}`,
  /** @param {string} stamp @param {number} page @param {number} count */
  page: (stamp, page, count, include = '') => `${stamp}/${FORM}/lists/page/${page}/${count}/${include}`,
  /** @param {string} stamp @param {number} afterId @param {number} count */
  after: (stamp, afterId, count, include = '') => `${stamp}/${FORM}/lists/after/${afterId}/${count}/${include}`,
  /** @param {string} stamp @param {number[]} ids @param {string} include */
  batch: (stamp, ids, include) => `${stamp}/${FORM}/batch/${include}/${ids}`,
  /** @param {string} stamp @param {number} id @param {string} include */
  sku: (stamp, id, include) => `${stamp}/${FORM}/sku/${id}/${include}`,
  /** @param {string} stamp @param {number[]} ids @param {string} include */
  skus: (stamp, ids, include) => `${stamp}/${FORM}/skus/${include}/${ids}`,
  /** @param {string} stamp @param {string} field @param {string[]} values @param {string} include */
  skusByField: (stamp, field, values, include) =>
    `${stamp}/${FORM}/skus-by/${field}/${include}/${createHash('sha256').update(JSON.stringify(values)).digest('base64url')}`,
  /** @param {string} stamp @param {string} query its digest */
  search: (stamp, query) => `${stamp}/${FORM}/searches/${query}`,
  /** Texts of shoppers reach Redis as digests only. @param {string} stamp @param {string} q @param {number} count */
  suggest: (stamp, q, count) =>
    `${stamp}/${FORM}/suggestions/${createHash('sha256').update(`${count}/${q}`).digest('base64url')}`,
  /** @param {string} stamp @param {Shop} [shop] */
  menu: (stamp, shop = null) => `${stamp}/${FORM}/catalog${ofShop(shop)}`,
};

/** @param {Shop} shop */
const ofShop = (shop) => (shop ? `/${shop.digest}` : '');

/** @param {string} key or stamp @returns {string} the data version in it; empty for a key that has none */
const versionOf = (key) => key.split('/', 1)[0].split('.', 1)[0];

/** Their entries are of several products, or of one that the key does not name. */
const LISTED = ['lists', 'batch', 'sku', 'skus', 'skus-by'];
const SEARCHED = ['searches', 'suggestions', 'catalog'];

/**
 * Names by which a CDN forgets a reply (CACHE_TAGS): `catalog` is on each.
 * @param {string} key of an entry of the catalog @returns {string[]}
 */
function tagsOf(key) {
  const [, , kind, id, include] = key.split('/');
  if (LISTED.includes(kind)) return ['catalog', 'list'];
  if (SEARCHED.includes(kind)) return ['catalog', 'search'];
  // An include shows other products, and its own card.
  return ['catalog', `product-${id}`, ...(include ? ['list'] : [])];
}

exports.keys = keys;
exports.tagsOf = tagsOf;
exports.versionOf = versionOf;
