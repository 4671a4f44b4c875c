'use strict';

const { unavailable, unknownProduct } = require('../errors');
const { keys, versionOf } = require('./keys');
const { searchKey } = require('./searches');

/** @typedef {import('../cache/entry').Entry} Entry */
/** @typedef {import('../store/database').DocumentRoute} DocumentRoute */

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
   * @param {{ document: (route: DocumentRoute, id: number, version: string) => Promise<{ body: Buffer } | null> }} parts.database
   * @param {import('./pages').Pages} parts.pages
   * @param {import('./batches').Batches} parts.batches
   * @param {import('./exports').Exports} parts.exported
   * @param {import('./searches').Searches} parts.searches
   * @param {{ current: string | null }} parts.version
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
    const version = this.#version.current;
    if (version === null) return notKnownYet();
    const load = () => this.#pages.byPage(version, page, count, include);
    return /** @type {Entry | Promise<Entry>} */ (this.#tiers.read(keys.page(version, page, count, include), load));
  }

  /** @param {number} afterId last id of the page before @param {number} count */
  after(afterId, count, include = '') {
    const version = this.#version.current;
    if (version === null) return notKnownYet();
    const load = () => this.#pages.after(version, afterId, count, include);
    return /** @type {Entry | Promise<Entry>} */ (this.#tiers.read(keys.after(version, afterId, count, include), load));
  }

  /** Redis does not keep it: hardly two clients ask for the same ids. @param {number[]} ids @param {string} include names by comma */
  batch(ids, include) {
    return this.#find(
      (version) => keys.batch(version, ids, include),
      (version) => this.#batches.list(version, ids, include),
      'never',
    );
  }

  /** @param {number} id @param {string} include names by comma, at least one @returns {Entry | Promise<Entry>} */
  product(id, include) {
    const version = this.#version.current;
    if (version === null) return notKnownYet();
    const load = () => this.#batches.product(version, id, include);
    return found(this.#tiers.read(keys.product(version, id, include), load), id, version);
  }

  /** @param {import('../search/query').Query} query @throws {import('../errors').Problem} 400: q is too long */
  search(query) {
    const key = searchKey(query);
    return this.#find(
      (version) => keys.search(version, key),
      (version) => this.#searches.search(version, query),
    );
  }

  /** @param {string} q @param {number} count */
  suggest(q, count) {
    return this.#find(
      (version) => keys.suggest(version, q, count),
      (version) => this.#searches.suggest(version, q, count),
    );
  }

  /** What a shop shows before a search: its facets, and what a search may ask for. */
  menu() {
    return this.#find(keys.menu, (version) => this.#searches.menu(version));
  }

  /**
   * @param {(version: string) => string} keyOf @param {(version: string) => Promise<{ body: Buffer }>} load
   * @param {'again' | 'never'} shared when Redis keeps it, as in Tiers.read
   */
  #find(keyOf, load, shared = 'again') {
    const version = this.#version.current;
    if (version === null) return notKnownYet();
    return /** @type {Entry | Promise<Entry>} */ (this.#tiers.read(keyOf(version), () => load(version), shared));
  }

  /** No tier keeps it: one export would empty L1. @param {import('../policy').ExportView} view @param {number} afterId */
  exported(view, afterId) {
    const version = this.#version.current;
    return version === null ? notKnownYet() : this.#exports.begin(version, view, afterId);
  }

  /** @returns {Promise<string>} the data version */
  async version() {
    return this.#version.current ?? notKnownYet();
  }

  /** @param {DocumentRoute} route @param {number} id @returns {Entry | Promise<Entry>} */
  document(route, id) {
    const version = this.#version.current;
    if (version === null) return notKnownYet();
    const load = () => this.#database.document(route, id, version);
    return found(this.#tiers.read(keys.document(version, route, id), load), id, version);
  }
}

const notKnownYet = async () => {
  throw unavailable(
    'The worker has no catalog yet: none is loaded, or the database has not answered since the worker started.',
  );
};

/** @param {Entry | null | Promise<Entry | null>} read @param {number} id @param {string} version */
function found(read, id, version) {
  return read instanceof Promise
    ? read.then((entry) => presentOrThrow(entry, id, version))
    : presentOrThrow(read, id, version);
}

/** @param {Entry | null} entry @param {number} id @param {string} version in which it is unknown */
function presentOrThrow(entry, id, version) {
  if (!entry) throw unknownProduct(id, version);
  return entry;
}

exports.Catalog = Catalog;
