'use strict';

const {
  HOW_TO_NAME_SHOP,
  hiddenProduct,
  malformedParameter,
  unavailable,
  unknownProduct,
  unknownSku,
} = require('../core/errors');
const { JSON_LD, LIST_LIMITS } = require('../core/policy');
const { Declarations } = require('./declarations');
const { withJsonLd } = require('./json-ld');
const { keys, tagsOf, versionOf } = require('./keys');
const { searchKey } = require('./searches');
const { ShopReplies } = require('./shop-replies');

/** @typedef {import('../cache/entry').Entry} Entry @typedef {import('../store/database').DocumentRoute} DocumentRoute */
/** @typedef {import('../store/servers/data-version').DataVersion} DataVersion */
/** @typedef {Pick<DataVersion, 'current' | 'lists'> & { declared?: DataVersion['declared'], position: Pick<DataVersion['position'], 'seq' | 'seqOf'> }} Version */

/**
 * The queries that the service answers. Each reads the tiers under its own key and passes a function that loads what they do not
 * have. What L1 has is returned synchronously, also that a product does not exist. A failure is always a rejected promise, so
 * that its wait is counted (http/reply.js).
 */
class Catalog {
  /** The data version of an entry, by its key. */
  versionOf = versionOf;
  /** Its tags for a CDN, by the same. */
  tagsOf = tagsOf;
  #tiers;
  #database;
  #pages;
  #batches;
  #skus;
  #exports;
  #searches;
  #shop;
  #version;
  #declarations;

  /**
   * @param {object} parts
   * @param {import('../cache/tiers').Tiers} parts.tiers
   * @param {Pick<import('../store/servers/replicated').ReplicatedDatabase, 'document' | 'skusByField'>} parts.database
   * @param {import('./pages').Pages} parts.pages
   * @param {import('./batches').Batches} parts.batches
   * @param {import('./batches').Batches} parts.skus
   * @param {import('./exports').Exports} parts.exported
   * @param {import('./sitemaps').Sitemaps | null} [parts.sitemaps] none without a shop
   * @param {import('./searches').Searches} parts.searches
   * @param {import('./shop').Shop | null} [parts.shop]
   * @param {Version} parts.version
   */
  constructor({ tiers, database, pages, batches, skus, exported, sitemaps = null, searches, shop = null, version }) {
    this.#tiers = tiers;
    this.#database = database;
    this.#pages = pages;
    this.#batches = batches;
    this.#skus = skus;
    this.#exports = exported;
    this.#searches = searches;
    this.#shop = shop;
    this.#version = version;
    this.#declarations = new Declarations(version);
    this.forShop = new ShopReplies({ catalog: this, shop, sitemaps });
  }

  /** The fields that the served load declares; null: none. */
  get declaration() {
    return this.#declarations.current;
  }

  /** @param {number} page from 1 @param {number} count */
  page(page, count, include = '') {
    return this.#find(
      (stamp) => keys.page(stamp, page, count, include),
      (stamp) => this.#pages.byPage(stamp, page, count, include),
      { shared: 'always', include },
    );
  }

  /** @param {number} afterId last id of the page before @param {number} count */
  after(afterId, count, include = '') {
    return this.#find(
      (stamp) => keys.after(stamp, afterId, count, include),
      (stamp) => this.#pages.after(stamp, afterId, count, include),
      { shared: 'always', include },
    );
  }

  /** Redis does not keep it: hardly two clients ask for the same ids. @param {number[]} ids @param {string} include names by comma */
  batch(ids, include) {
    return this.#find(
      (stamp) => keys.batch(stamp, ids, include),
      (stamp) => this.#batches.list(stamp, ids, include),
      { shared: 'never', include },
    );
  }

  /**
   * @param {number} id @param {string} include names by comma, at least one @returns {Entry | Promise<Entry>}
   * @throws {import('../core/errors').Problem} 400: JSON-LD needs a shop
   */
  product(id, include) {
    const { current, lists } = this.#version;
    if (current === null) return notKnownYet();
    const stamp = lists.stampOf(include);
    const shop = include.endsWith(JSON_LD) ? this.#requiredShop() : null;
    const load = async () => {
      const product = await this.#batches.one(stamp, id, `features,${include}`);
      return product && shop ? { body: withJsonLd(product.body, shop) } : product;
    };
    return found(this.#tiers.read(keys.product(stamp, id, include, shop), load), () => this.#noProduct(id));
  }

  #requiredShop() {
    if (this.#shop) return this.#shop;
    throw malformedParameter(`include=${JSON_LD} needs the profile of the shop: ${HOW_TO_NAME_SHOP}`);
  }

  /** Redis keeps no skus: a look-up takes PostgreSQL hardly longer, and each commit makes new keys. @param {number} id @param {string} include */
  sku(id, include) {
    const read = this.#find(
      (stamp) => keys.sku(stamp, id, include),
      (stamp) => this.#skus.one(stamp, id, include),
      { shared: 'never', stampOf: lastCommit },
    );
    return found(read, () => {
      throw unknownSku(id, String(this.#version.current));
    });
  }

  /** @param {number[]} ids @param {string} include names by comma */
  skus(ids, include) {
    return this.#find(
      (stamp) => keys.skus(stamp, ids, include),
      (stamp) => this.#skus.list(stamp, ids, include),
      { shared: 'never', stampOf: lastCommit },
    );
  }

  /**
   * @param {string} field of skus, that the load declares for look-ups @param {string[]} values @param {string} include names by comma
   * @throws {import('../core/errors').Problem} 400: too many skus have one of them
   */
  skusByField(field, values, include) {
    const load = async (/** @type {string} */ stamp) => {
      const found = await this.#database.skusByField(field, values, include, LIST_LIMITS.ids + 1, stamp);
      if (found.count <= LIST_LIMITS.ids) return found;
      throw malformedParameter(`More than ${LIST_LIMITS.ids} skus have such a ${field}. Ask for fewer values.`);
    };
    const keyOf = (/** @type {string} */ stamp) => keys.skusByField(stamp, field, values, include);
    return this.#find(keyOf, load, { shared: 'never', stampOf: lastCommit });
  }

  /** @param {import('../search/answers/query').Query} query @throws {import('../core/errors').Problem} 400: q is too long */
  search(query, key = searchKey(query)) {
    return this.#find(
      (stamp) => keys.search(this.#searches.stampOf(stamp), key),
      (stamp) => this.#searches.search(stamp, query),
    );
  }

  /** @param {string} q @param {number} count */
  suggest(q, count) {
    return this.#find(
      (stamp) => keys.suggest(this.#searches.stampOf(stamp), q, count),
      (stamp) => this.#searches.suggest(stamp, q, count),
    );
  }

  /** The facets and the limits of a search, for a shop to show before one. */
  menu() {
    return this.#find(
      (stamp) => keys.menu(this.#searches.stampOf(stamp), this.#shop),
      (stamp) => this.#searches.menu(stamp),
    );
  }

  /**
   * @param {(stamp: string) => string} keyOf @param {(stamp: string) => Promise<{ body: Buffer } | null>} load
   * @param {{ shared?: import('../cache/tiers').Sharing, include?: string, stampOf?: (version: Version) => string }} [options]
   */
  #find(keyOf, load, { shared = 'again', include = '', stampOf = ({ lists }) => lists.stampOf(include) } = {}) {
    if (this.#version.current === null) return notKnownYet();
    const stamp = stampOf(this.#version);
    return /** @type {Entry | Promise<Entry>} */ (this.#tiers.read(keyOf(stamp), () => load(stamp), shared));
  }

  /** No tier keeps it: one export would empty L1. @param {import('../core/policy').ExportView} view @param {number} afterId */
  exported(view, afterId) {
    return this.#version.current === null ? notKnownYet() : this.#exports.begin(view, afterId);
  }

  /** @returns {Promise<string>} the data version */
  async version() {
    return this.#version.current ?? notKnownYet();
  }

  /** @param {DocumentRoute} route @param {number} id @returns {Entry | Promise<Entry>} */
  document(route, id) {
    const { current, position } = this.#version;
    if (current === null) return notKnownYet();
    const seq = position.seqOf(route, id);
    return found(this.#document(current, seq, route, id), () => this.#noProduct(id));
  }

  /** @param {string} version @param {number} seq @param {DocumentRoute} route @param {number} id */
  #document(version, seq, route, id) {
    const load = () => this.#database.document(route, id, `${version}.${seq}`);
    return this.#tiers.read(keys.document(version, seq, route, id), load);
  }

  /** A product without a reply is hidden or unknown. @param {number} id @returns {Promise<never>} */
  #noProduct(id) {
    const { current, position } = this.#version;
    const version = String(current);
    const refuse = (/** @type {Entry | null} */ hidden) => {
      throw hidden ? hiddenProduct(id, version) : unknownProduct(id, version);
    };
    const hidden = this.#document(version, position.seqOf('hidden', id), 'hidden', id);
    return hidden instanceof Promise ? hidden.then(refuse) : refuse(hidden);
  }
}

const notKnownYet = async () => {
  throw unavailable(
    'The worker has no catalog yet: none is loaded, or the database has not answered since the worker started.',
  );
};

/** @param {Version} version */
const lastCommit = ({ current, position }) => `${current}.${position.seq}`;

/** @param {Entry | null | Promise<Entry | null>} read @param {() => Promise<never>} unknown @returns {Entry | Promise<Entry>} */
function found(read, unknown) {
  if (read instanceof Promise) return read.then((entry) => found(entry, unknown));
  return read ?? unknown();
}

exports.Catalog = Catalog;
