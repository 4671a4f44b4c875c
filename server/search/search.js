'use strict';

const { overloaded, unavailable } = require('../errors');
const { readCursor, writeCursor } = require('./cursor');
const { readFacets } = require('./facets');
const { Filters } = require('./filters');
const { QueryWord } = require('./matching');
const { readPage } = require('./result-page');
const { identity, sortOf } = require('./query');
const { reportWord } = require('./query-report');
const { parseText } = require('./query-text');
const { OtherLoad, SearchIndex } = require('./search-index');
const { suggest } = require('./suggest');
const { matchText } = require('./text-match');
const { Pace, Turns } = require('./turns');
const { Work } = require('./work');

/** The index and its sets are two reads; this many times a load may come between them. */
const ATTEMPTS = 3;

/** @typedef {import('./query').Query} Query */
/** @typedef {import('./query').Text} Text */
/**
 * @typedef {object} Answer
 * @property {number} loadId the cards must come from this load
 * @property {number} total products that the query finds
 * @property {number[]} ids of the page
 * @property {string | null} next cursor of the page behind; null on the last one
 * @property {{ words: import('./query-report').WordReport[], ignored: string[] }} query
 * @property {import('./facets').Facet[]} facets
 */

/** Answers queries from the index of a data version. It is read at the first query of a version, and its sets when needed. */
class Search {
  #reader;
  #maxBytes;
  #maxInFlight;
  #inFlight = 0;
  #turns = new Turns();
  /** @type {{ version: string, index: Promise<SearchIndex> } | null} */
  #held = null;

  /**
   * @param {import('./search-index').Reader} reader
   * @param {{ maxBytes: number, maxInFlight?: number }} options bytes of sets that are held; searches under way at once
   */
  constructor(reader, { maxBytes, maxInFlight = Infinity }) {
    this.#reader = reader;
    this.#maxBytes = maxBytes;
    this.#maxInFlight = maxInFlight;
  }

  /**
   * @param {string} version @param {Query} query
   * @returns {Promise<Answer>}
   * @throws {import('../errors').Problem} 400: q is too long, or `after` is not a cursor of this query; 503: no search in this
   * load, the catalog is being replaced, or too many searches are under way
   */
  async search(version, query) {
    const text = parseText(query.q);
    return this.#work(version, (work) => answer(work, query, text));
  }

  /**
   * @param {string} version @param {string} q its last word is completed @param {number} count of words and categories, at most
   * @returns {Promise<import('./suggest').Suggestions>}
   * @throws {import('../errors').Problem} as `search`
   */
  async suggest(version, q, count) {
    const { words } = parseText(q);
    return this.#work(version, (work) => suggest(work, words, count));
  }

  /** Reads the index again at the next query: the caller has met rows of another load. @param {number} loadId of the index */
  async forget(loadId) {
    const held = this.#held;
    if (held && (await held.index).loadId === loadId && this.#held === held) this.#held = null;
  }

  /** @template T @param {string} version @param {(work: Work) => Promise<T>} answerWith @returns {Promise<T>} */
  async #work(version, answerWith) {
    if (this.#inFlight >= this.#maxInFlight) throw overloaded('Too many searches are under way.');
    this.#inFlight += 1;
    try {
      return await this.#attempt(version, answerWith);
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** @template T @param {string} version @param {(work: Work) => Promise<T>} answerWith @returns {Promise<T>} */
  async #attempt(version, answerWith) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const held = this.#index(version);
      const work = new Work(await held.index, this.#turns);
      try {
        await work.turn();
        return await answerWith(work);
      } catch (error) {
        if (!(error instanceof OtherLoad)) throw error;
        if (this.#held === held) this.#held = null;
      } finally {
        work.release();
      }
    }
    throw unavailable('The catalog is being replaced.');
  }

  /** The index of a version, read once. @param {string} version */
  #index(version) {
    if (this.#held?.version !== version) {
      const options = { version, maxBytes: this.#maxBytes, pace: new Pace(this.#turns) };
      const held = { version, index: SearchIndex.read(this.#reader, options) };
      this.#held = held;
      held.index.catch(() => {
        if (this.#held === held) this.#held = null;
      });
    }
    return this.#held;
  }
}

/** @param {Work} work @param {Query} query @param {Text} text @returns {Promise<Answer>} */
async function answer(work, query, text) {
  const { index } = work;
  const sort = sortOf(query, text);
  const own = identity(query, text);
  const after = query.after === null ? null : readCursor(own, query.after);
  const filters = await Filters.read(work, query, text.excluded);
  await work.pause();
  const words = text.words.map((word, at) => new QueryWord(index.dictionary, word, at === text.words.length - 1));
  const match = await matchText(work, words, filters.passed);
  await work.pause();
  const { count, page } = query;
  const found = await readPage(work, match, sort, { offset: (page - 1) * count, after, count });
  const items = found.slice(0, count).map(({ position, place }) => ({ id: index.ids[position], place }));
  const last = found.length > count ? items.at(-1) : undefined;
  return {
    loadId: index.loadId,
    total: match.found.count,
    ids: items.map(({ id }) => id),
    next: last ? writeCursor(own, last) : null,
    query: { words: match.words.map((word) => reportWord(word, match.typos)), ignored: match.ignored },
    facets: await readFacets(work, query, filters, match),
  };
}

exports.Search = Search;
