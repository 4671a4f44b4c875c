'use strict';

const { createHash } = require('node:crypto');

const { ALL_FIELDS, FIELD } = require('../core/policy');
const { identity } = require('../search/answers/query');
const { parseText } = require('../search/text/query-text');
const { ATTEMPTS, replaced } = require('./attempts');
const { versionOf } = require('./keys');

/** Cards beside the suggestions, and values of a facet in the menu. */
const MENU_VALUES = 100;

/** @typedef {import('../search/answers/query').Query} Query @typedef {import('../search/search').Search} Search */
/**
 * @typedef {object} SearchReads every read names its stamp, as a replica may be behind it
 * @property {<T>(query: (reads: import('../store/search-reads').SearchReads) => Promise<T>, stamp: string) => Promise<T>} ofSearch
 */

/** A search without a word or filter. @type {Query} */
const ALL = {
  q: '',
  filters: {},
  onSale: false,
  inStock: false,
  minPrice: null,
  maxPrice: null,
  sort: null,
  count: 0,
  page: 1,
  after: null,
  facets: [],
  facetValues: MENU_VALUES,
};

/** Keys of queries that come again as the same object. @type {WeakMap<Query, string>} */
const knownKeys = new WeakMap();

/**
 * The cache key of a search: equal for two spellings of one query. A digest, because a query may have 8 KB.
 * @param {Query} query
 * @throws {import('../core/errors').Problem} 400: q is too long
 */
function searchKey(query) {
  let key = knownKeys.get(query);
  if (!key) {
    const { page, after, count, facets, facetValues } = query;
    const own = identity(query, parseText(query.q));
    const text = JSON.stringify([own, page, after, count, facets, facetValues]);
    knownKeys.set(query, (key = createHash('sha256').update(text).digest('base64url')));
  }
  return key;
}

/** Searches, suggestions and the menu: what the engine finds in the index of the load, with the cards of the products as they are now. */
class Searches {
  #search;
  #follower;
  #database;
  #total;
  #facets;
  #about;
  #tuning;
  #shop;

  /**
   * @param {object} parts
   * @param {Search} parts.search
   * @param {import('./create-searches').SearchFollower} parts.follower
   * @param {SearchReads} parts.database
   * @param {() => number} parts.tuning number of the tuning that counts now
   * @param {(stamp: string) => Promise<number>} parts.total products of the catalog
   * @param {readonly string[]} parts.facets of the menu
   * @param {{ sorts: readonly string[], limits: Record<string, number> }} parts.about what a search may ask for
   * @param {import('./shop').Shop | null} parts.shop
   */
  constructor({ search, follower, database, tuning, total, facets, about, shop }) {
    this.#search = search;
    this.#follower = follower;
    this.#database = database;
    this.#tuning = tuning;
    this.#total = total;
    this.#facets = facets;
    this.#about = about;
    this.#shop = shop;
  }

  /** A stamp for cache keys: it also has the last commit that a search sees, which may be an earlier one, and its tuning. @param {string} stamp */
  stampOf(stamp) {
    const tuning = this.#tuning();
    return `${stamp}.${this.#search.currentIndex.stateOf(versionOf(stamp))}${tuning === 0 ? '' : `.${tuning}`}`;
  }

  /** Call it when the log has another commit. */
  follow() {
    this.#follower.follow();
  }

  /** Resolves once searches of a version have begun, or cannot. @param {string} version */
  begun(version) {
    return this.#search.currentIndex.begun(version);
  }

  /** @param {string} version @param {number} seq of a commit */
  hasSeen(version, seq) {
    return this.#follower.hasSeen(version, seq);
  }

  /** Writes since the load, as far as searches see them. */
  get written() {
    return this.#search.currentIndex.written;
  }

  /** @param {string} stamp @param {Query} query */
  async search(stamp, query) {
    const ask = async () => ({ answer: await this.#search.search(versionOf(stamp), query) });
    const { answer, cards } = await this.#withCards(stamp, ask);
    const { total, next, query: words, facets } = answer;
    const rest = JSON.stringify({ next, query: words, facets }).slice(1);
    return {
      body: Buffer.concat([Buffer.from(`{"total":${total},"items":`), cards, Buffer.from(`,${rest}`)]),
      ...seenBy(answer),
    };
  }

  /** @param {string} stamp @param {string} q @param {number} count of words, of categories and of cards, at most */
  async suggest(stamp, q, count) {
    const ask = () => this.#search.suggestAndSearch(versionOf(stamp), { ...ALL, q, count }, count);
    const { suggestions, answer, cards } = await this.#withCards(stamp, ask);
    const first = JSON.stringify(suggestions).slice(0, -1);
    return { body: Buffer.concat([Buffer.from(`${first},"cards":`), cards, Buffer.from('}')]), ...seenBy(answer) };
  }

  /** @param {string} stamp */
  async menu(stamp) {
    const { limits } = this.#about;
    const shop = this.#shop && { shop: this.#shop.profile };
    if (!(await this.#database.ofSearch((reads) => reads.exists(), stamp))) {
      const products = await this.#total(stamp);
      return { body: Buffer.from(JSON.stringify({ products, price: null, facets: [], sorts: [], limits, ...shop })) };
    }
    const answer = await this.#search.search(versionOf(stamp), { ...ALL, facets: [...this.#facets, ALL_FIELDS] });
    const { total, facets } = answer;
    const fields = [...answer.fields.values()].filter((field) => field.facet || field.sort);
    const price = facets.find(({ name }) => name === 'price');
    const { min, max } = price && 'min' in price ? price : { min: null, max: null };
    const own = fields.filter(({ sort }) => sort).map((field) => FIELD + field.name);
    const menu = {
      products: total,
      price: { min, max },
      facets,
      sorts: [...this.#about.sorts, ...own.flatMap((sort) => [sort, `-${sort}`])],
      limits,
      ...(fields.length > 0 && { fields: fields.map(shownField) }),
      ...shop,
    };
    return { body: Buffer.from(JSON.stringify(menu)), ...seenBy(answer) };
  }

  /**
   * Cards of another load than the index would be of other products: both are read again.
   * @template {{ answer: import('../search/answers/answer').Answer }} T @param {string} stamp @param {() => Promise<T>} ask
   */
  async #withCards(stamp, ask) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const found = await ask();
      const { answer } = found;
      if (answer.ids.length === 0) return { ...found, cards: Buffer.from('[]') };
      const { body, loadId } = await this.#database.ofSearch((reads) => reads.cards(answer.ids), stamp);
      if (loadId === answer.loadId) return { ...found, cards: body };
      await this.#search.currentIndex.forget(answer.loadId);
    }
    throw replaced();
  }
}

/** A declared field, with what a search may do with it. @param {import('../core/field-range').Field} field */
const shownField = ({ name, of, type, facet, sort }) => ({ name: FIELD + name, of, type, facet, sort });

/** The header that says which commit an answer has seen. @param {{ cursor: string | null }} answer */
const seenBy = ({ cursor }) => ({ aside: cursor === null ? '' : `Catalog-Cursor: ${cursor}\r\n` });

exports.ALL = ALL;
exports.Searches = Searches;
exports.searchKey = searchKey;
