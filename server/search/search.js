'use strict';

const { overloaded, unavailable } = require('../core/errors');
const { answer } = require('./answers/answer');
const { parseText } = require('./text/query-text');
const { CurrentIndex } = require('./current-index');
const { MAX_WRITTEN_BYTES } = require('./delta/follower');
const { OtherLoad } = require('./index/search-index');
const { suggest } = require('./answers/suggest');
const { CurrentTuning } = require('./tuning/current-tuning');
const { QueryContext, Turn, TurnQueue } = require('./query-context');

/** The index and its sets are two reads; this many times a load may come between them. */
const ATTEMPTS = 3;

/** @typedef {import('./answers/query').Query} Query */
/** @typedef {import('./answers/answer').Answer} Answer */
/** @typedef {{ tuning: (number: number) => Promise<import('./tuning/current-tuning').Stored> }} TuningReader */

/** Answers queries from the index of a data version. It is read at the first query of a version, and its sets when needed. */
class Search {
  #maxInFlight;
  #inFlight = 0;
  #turns = new TurnQueue();
  #tuning;
  #tunings;

  /**
   * @param {import('./index/search-index').Reader & import('./delta/follower').WrittenReader & TuningReader} reader
   * @param {object} options
   * @param {number} options.maxBytes of sets that are held
   * @param {number} [options.maxWrittenBytes] of what was written since the load
   * @param {number} [options.maxInFlight] searches under way at once
   * @param {() => number} [options.tuning] number of the tuning that counts now
   */
  constructor(reader, { maxBytes, maxWrittenBytes = MAX_WRITTEN_BYTES, maxInFlight = Infinity, tuning = () => 0 }) {
    this.currentIndex = new CurrentIndex(reader, { maxBytes, maxWrittenBytes, turns: this.#turns });
    this.#maxInFlight = maxInFlight;
    this.#tuning = tuning;
    this.#tunings = new CurrentTuning((number) => reader.tuning(number));
  }

  /**
   * @param {string} version @param {Query} query
   * @returns {Promise<Answer>}
   * @throws {import('../core/errors').Problem} 400: q is too long, or `after` is not a cursor of this query; 503: no search in this
   * load, the catalog is being replaced, or too many searches are under way
   */
  async search(version, query) {
    const text = parseText(query.q);
    return this.#run(version, (context, cursor) => answer(context, query, text, cursor));
  }

  /**
   * @param {string} version @param {string} q its last word is completed @param {number} count of words and categories, at most
   * @returns {Promise<import('./answers/suggest').Suggestions>}
   * @throws {import('../core/errors').Problem} as `search`
   */
  async suggest(version, q, count) {
    const text = parseText(q);
    return this.#run(version, (context) => suggest(context, text, count));
  }

  /**
   * Suggestions for the text of a query, and the answer to it, of one state.
   * @param {string} version @param {Query} query @param {number} count as in `suggest`
   * @throws {import('../core/errors').Problem} as `search`
   */
  async suggestAndSearch(version, query, count) {
    const text = parseText(query.q);
    return this.#run(version, async (context, cursor) => ({
      suggestions: await suggest(context, text, count),
      answer: await answer(context, query, text, cursor),
    }));
  }

  /** @template T @param {string} version @param {(context: QueryContext, cursor: string | null) => Promise<T>} answerWith @returns {Promise<T>} */
  async #run(version, answerWith) {
    if (this.#inFlight >= this.#maxInFlight) throw overloaded('Too many searches are under way.');
    this.#inFlight += 1;
    try {
      return await this.#attempt(version, answerWith);
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** @template T @param {string} version @param {(context: QueryContext, cursor: string | null) => Promise<T>} answerWith @returns {Promise<T>} */
  async #attempt(version, answerWith) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const current = this.currentIndex.of(version);
      let context;
      try {
        const { index, cursor } = (await current.follower).state;
        const turn = new Turn(this.#turns);
        await turn.next();
        context = new QueryContext(index, await this.#tunings.of(this.#tuning(), index, turn), turn);
        return await answerWith(context, cursor);
      } catch (error) {
        if (!(error instanceof OtherLoad)) throw error;
        this.currentIndex.drop(current);
      } finally {
        context?.release();
      }
    }
    throw unavailable('The catalog is being replaced.');
  }
}

exports.Search = Search;
