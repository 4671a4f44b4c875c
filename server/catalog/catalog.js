'use strict';

const { unavailable, unknownProduct } = require('../errors');
const { keys } = require('./keys');

/** @typedef {import('../cache/entry').Entry} Entry */
/** @typedef {import('../store/database').DocumentRoute} DocumentRoute */

/**
 * The queries that the service answers. Each reads the tiers under its own key and passes a function that loads what they do not
 * have. What L1 has is returned synchronously, also that a product does not exist. A failure is always a rejected promise, so
 * that its wait is counted (http/reply.js).
 */
class Catalog {
  #tiers;
  #database;
  #pages;
  #version;

  /**
   * @param {object} parts
   * @param {import('../cache/tiers').Tiers} parts.tiers
   * @param {{ document: (route: DocumentRoute, id: number, version: string) => Promise<{ body: Buffer } | null> }} parts.database
   * @param {import('./pages').Pages} parts.pages
   * @param {{ current: string | null }} parts.version
   */
  constructor({ tiers, database, pages, version }) {
    this.#tiers = tiers;
    this.#database = database;
    this.#pages = pages;
    this.#version = version;
  }

  /** @param {number} page from 1 @param {number} count */
  page(page, count) {
    const version = this.#version.current;
    if (version === null) return notKnownYet();
    const load = () => this.#pages.byPage(version, page, count);
    return /** @type {Entry | Promise<Entry>} */ (this.#tiers.read(keys.page(version, page, count), load));
  }

  /** @param {number} afterId last id of the page before @param {number} count */
  after(afterId, count) {
    const version = this.#version.current;
    if (version === null) return notKnownYet();
    const load = () => this.#pages.after(version, afterId, count);
    return /** @type {Entry | Promise<Entry>} */ (this.#tiers.read(keys.after(version, afterId, count), load));
  }

  /** @param {DocumentRoute} route @param {number} id @returns {Entry | Promise<Entry>} */
  document(route, id) {
    const version = this.#version.current;
    if (version === null) return notKnownYet();
    const found = this.#tiers.read(keys.document(version, route, id), () =>
      this.#database.document(route, id, version),
    );
    return found instanceof Promise ? found.then((entry) => presentOrThrow(entry, id)) : presentOrThrow(found, id);
  }
}

const notKnownYet = async () => {
  throw unavailable(
    'The worker has no catalog yet: none is loaded, or the database has not answered since the worker started.',
  );
};

/** @param {Entry | null} entry @param {number} id */
function presentOrThrow(entry, id) {
  if (!entry) throw unknownProduct(id);
  return entry;
}

exports.Catalog = Catalog;
