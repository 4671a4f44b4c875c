'use strict';

const { FACETS, SEARCH_LIMITS, SORTS } = require('../core/policy');
const { MAX_CHARACTERS, MAX_WORDS } = require('../search/text/query-text');
const { Search } = require('../search/search');
const { SearchFollower } = require('./search-follower');
const { Searches } = require('./searches');

/**
 * The engine with the tables of a load behind it.
 * @param {object} parts
 * @param {number} parts.maxBytes of sets that are held
 * @param {number} parts.maxInFlight searches under way at once
 * @param {import('./searches').SearchReads} parts.database
 * @param {import('./pages').Pages} parts.pages
 * @param {import('../store/servers/data-version').DataVersion} parts.version
 * @param {import('../core/events').Events} parts.events
 */
function createSearches({ maxBytes, maxInFlight, database, pages, version, events }) {
  /** A replica must not be behind what lists show. @param {string} token @param {number} seq */
  const stampOf = (token, seq) => `${token}.${Math.max(0, seq, version.position.reached?.listedSeq ?? 0)}`;
  /** @type {import('../search/index/search-index').Reader & import('../search/delta/follower').WrittenReader} */
  const reader = {
    blobs: (version) => database.ofSearch((reads) => reads.blobs(), version),
    written: (token, after, ids, limit) =>
      database.ofSearch((reads) => reads.written(after, ids, limit), stampOf(token, after)),
    names: (token, ids, seq) => database.ofSearch((reads) => reads.names(ids), stampOf(token, seq)),
    sets: (version, keys) => database.ofSearch((reads) => reads.sets(keys), version),
  };
  const search = new Search(reader, { maxBytes, maxInFlight });
  return new Searches({
    search,
    follower: new SearchFollower(search.currentIndex, version, events),
    database,
    total: (stamp) => pages.total(stamp),
    facets: FACETS,
    about: { sorts: SORTS, limits: { ...SEARCH_LIMITS, q_characters: MAX_CHARACTERS, q_words: MAX_WORDS } },
  });
}

exports.createSearches = createSearches;
