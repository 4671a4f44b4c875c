'use strict';

const { unavailable } = require('../core/errors');
const { FACETS, SEARCH_LIMITS, SORTS } = require('../core/policy');
const { MAX_CHARACTERS, MAX_WORDS } = require('../search/text/query-text');
const { Search } = require('../search/search');
const { Searches } = require('./searches');

/** Reading what was written makes a part of the index anew, so searches move this often under constant writes. */
const MOVE_MS = 1000;

/** @typedef {import('../search/current-index').CurrentIndex} CurrentIndex */

/** Lets searches see what was written: at once, and under constant writes once a second. */
class SearchFollower {
  #index;
  #version;
  #events;
  #movedMs = -Infinity;
  #isFull = false;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {CurrentIndex} index
   * @param {{ current: string | null, position: { reached: { listedSeq: number } | null } }} version
   * @param {import('../core/events').Events} events
   */
  constructor(index, version, events) {
    this.#index = index;
    this.#version = version;
    this.#events = events;
  }

  /** Call it when the log has another commit: most of stock change nothing that a search shows. */
  follow() {
    const { current, position } = this.#version;
    const listedSeq = position.reached?.listedSeq ?? 0;
    if (current === null || this.#timer || listedSeq <= this.#index.seqOf(current)) return;
    const leftMs = this.#movedMs + MOVE_MS - performance.now();
    this.#timer = setTimeout(() => void this.#move(), Math.max(0, leftMs)).unref();
  }

  /** Searches see a commit of the log, or all commits up to it that they show. @param {string} version @param {number} seq */
  hasSeen(version, seq) {
    const listedSeq = this.#version.position.reached?.listedSeq ?? 0;
    return !this.#index.holds(version) || Math.min(seq, listedSeq) <= this.#index.seqOf(version);
  }

  async #move() {
    this.#movedMs = performance.now();
    try {
      await this.#index.follow();
      const { written } = this.#index;
      if (written.isFull && !this.#isFull) this.#events.emit('searchFull', written);
      this.#isFull = written.isFull;
    } catch (error) {
      this.#events.emit('searchStale', /** @type {Error} */ (error));
    } finally {
      this.#timer = undefined;
      if (this.#index.isFollowing) this.follow();
    }
  }
}

/** A replica may be behind: its failure lets the next server answer. @param {import('../store/search-reads').SearchReads} reads @param {number} number */
async function tuningFrom(reads, number) {
  const stored = await reads.tuning();
  if (stored.number < number) throw unavailable('The database does not have the tuning of searches yet.');
  return stored;
}

/**
 * The tables of the load, and what was written since.
 * @param {import('./searches').SearchReads} database @param {import('../store/servers/data-version').DataVersion} version
 * @returns {ConstructorParameters<typeof Search>[0]}
 */
function readerOf(database, version) {
  /** A replica must not be behind what lists show. @param {string} token @param {number} seq */
  const stampOf = (token, seq) => `${token}.${Math.max(0, seq, version.position.reached?.listedSeq ?? 0)}`;
  return {
    blobs: (version) => database.ofSearch((reads) => reads.blobs(), version),
    written: (token, after, ids, limit) =>
      database.ofSearch((reads) => reads.written(after, ids, limit), stampOf(token, after)),
    gone: (token, after) => database.ofSearch((reads) => reads.gone(after), stampOf(token, after)),
    names: (token, ids, seq) => database.ofSearch((reads) => reads.names(ids), stampOf(token, seq)),
    scale: (version, name) => database.ofSearch((reads) => reads.scale(name), version),
    sets: (version, keys) => database.ofSearch((reads) => reads.sets(keys), version),
    tuning: (number) => database.ofSearch((reads) => tuningFrom(reads, number), String(version.current)),
  };
}

/**
 * The engine with the tables of a load behind it.
 * @param {object} parts
 * @param {number} parts.maxBytes of sets that are held
 * @param {number} parts.maxInFlight searches under way at once
 * @param {import('./searches').SearchReads} parts.database
 * @param {import('./pages').Pages} parts.pages
 * @param {import('../store/servers/data-version').DataVersion} parts.version
 * @param {import('../core/events').Events} parts.events
 * @param {import('./shop').Shop | null} parts.shop
 */
function createSearches({ maxBytes, maxInFlight, database, pages, version, events, shop }) {
  const tuning = () => version.tuning;
  const search = new Search(readerOf(database, version), { maxBytes, maxInFlight, tuning });
  return new Searches({
    search,
    follower: new SearchFollower(search.currentIndex, version, events),
    database,
    tuning,
    total: (stamp) => pages.total(stamp),
    facets: FACETS,
    about: { sorts: SORTS, limits: { ...SEARCH_LIMITS, q_characters: MAX_CHARACTERS, q_words: MAX_WORDS } },
    shop,
  });
}

exports.createSearches = createSearches;
exports.readerOf = readerOf;
exports.SearchFollower = SearchFollower;
