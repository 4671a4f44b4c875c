'use strict';

const { unavailable, unknownProduct } = require('../errors');
const { keys, versionOf } = require('./keys');

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
  #version;

  /**
   * @param {object} parts
   * @param {import('../cache/tiers').Tiers} parts.tiers
   * @param {{ document: (route: DocumentRoute, id: number, version: string) => Promise<{ body: Buffer } | null> }} parts.database
   * @param {import('./pages').Pages} parts.pages
   * @param {import('./batches').Batches} parts.batches
   * @param {import('./exports').Exports} parts.exported
   * @param {{ current: string | null }} parts.version
   */
  constructor({ tiers, database, pages, batches, exported, version }) {
    this.#tiers = tiers;
    this.#database = database;
    this.#pages = pages;
    this.#batches = batches;
    this.#exports = exported;
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
    const version = this.#version.current;
    if (version === null) return notKnownYet();
    const load = () => this.#batches.list(version, ids, include);
    const options = { isShared: false };
    return /** @type {Entry | Promise<Entry>} */ (this.#tiers.read(keys.batch(version, ids, include), load, options));
  }

  /** @param {number} id @param {string} include names by comma, at least one @returns {Entry | Promise<Entry>} */
  product(id, include) {
    const version = this.#version.current;
    if (version === null) return notKnownYet();
    const load = () => this.#batches.product(version, id, include);
    return found(this.#tiers.read(keys.product(version, id, include), load), id, version);
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
