'use strict';

const { unavailable, unknownProduct } = require('../core/errors');
const { keys, versionOf } = require('./keys');
const { searchKey } = require('./searches');

/** @typedef {import('../cache/entry').Entry} Entry @typedef {import('../store/database').DocumentRoute} DocumentRoute */
/** @typedef {import('../store/servers/data-version').DataVersion} DataVersion */

/**
 * The queries that the service answers. Each reads the tiers under its own key and passes a function that loads what they do not
 * have. What L1 has is returned synchronously, also that a product does not exist. A failure is always a rejected promise, so
 * that its wait is counted (http/reply.js).
 */
class Catalog {
  /** The data version of an entry, by its key. */
  versionOf = versionOf;
  #tiers;
  #database;
  #pages;
  #batches;
  #exports;
  #searches;
  #version;

  /**
   * @param {object} parts
   * @param {import('../cache/tiers').Tiers} parts.tiers
   * @param {{ document: (route: DocumentRoute, id: number, stamp: string) => Promise<{ body: Buffer } | null> }} parts.database
   * @param {import('./pages').Pages} parts.pages
   * @param {import('./batches').Batches} parts.batches
   * @param {import('./exports').Exports} parts.exported
   * @param {import('./searches').Searches} parts.searches
   * @param {Pick<DataVersion, 'current' | 'lists'> & { position: Pick<DataVersion['position'], 'seqOf'> }} parts.version
   */
  constructor({ tiers, database, pages, batches, exported, searches, version }) {
    this.#tiers = tiers;
    this.#database = database;
    this.#pages = pages;
    this.#batches = batches;
    this.#exports = exported;
    this.#searches = searches;
    this.#version = version;
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

  /** @param {number} id @param {string} include names by comma, at least one @returns {Entry | Promise<Entry>} */
  product(id, include) {
    const { current, lists } = this.#version;
    if (current === null) return notKnownYet();
    const stamp = lists.stampOf(include);
    const load = () => this.#batches.product(stamp, id, include);
    return found(this.#tiers.read(keys.product(stamp, id, include), load), id, current);
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
      (stamp) => keys.menu(this.#searches.stampOf(stamp)),
      (stamp) => this.#searches.menu(stamp),
    );
  }

  /**
   * @param {(stamp: string) => string} keyOf @param {(stamp: string) => Promise<{ body: Buffer }>} load
   * @param {{ shared?: import('../cache/tiers').Sharing, include?: string }} [options]
   */
  #find(keyOf, load, { shared = 'again', include = '' } = {}) {
    const { current, lists } = this.#version;
    if (current === null) return notKnownYet();
    const stamp = lists.stampOf(include);
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
    const load = () => this.#database.document(route, id, `${current}.${seq}`);
    return found(this.#tiers.read(keys.document(current, seq, route, id), load), id, current);
  }
}

const notKnownYet = async () => {
  throw unavailable(
    'The worker has no catalog yet: none is loaded, or the database has not answered since the worker started.',
  );
};

/** @param {Entry | null | Promise<Entry | null>} read @param {number} id @param {string} version @returns {Entry | Promise<Entry>} */
function found(read, id, version) {
  if (read instanceof Promise) return read.then((entry) => found(entry, id, version));
  if (!read) throw unknownProduct(id, version);
  return read;
}

exports.Catalog = Catalog;
