'use strict';

const { FACETS, SEARCH_LIMITS, SORTS } = require('../policy');
const { MAX_CHARACTERS, MAX_WORDS } = require('../search/query-text');
const { Search } = require('../search/search');
const { Searches } = require('./searches');

/**
 * The engine with the tables of a load behind it.
 * @param {object} parts
 * @param {number} parts.maxBytes of sets that are held
 * @param {number} parts.maxInFlight searches under way at once
 * @param {import('./searches').SearchReads} parts.database
 * @param {import('./pages').Pages} parts.pages
 */
function createSearches({ maxBytes, maxInFlight, database, pages }) {
  /** @type {import('../search/search-index').Reader} */
  const reader = {
    blobs: (version) => database.ofSearch((reads) => reads.blobs(), version),
    sets: (version, keys) => database.ofSearch((reads) => reads.sets(keys), version),
  };
  return new Searches({
    search: new Search(reader, { maxBytes, maxInFlight }),
    database,
    total: (stamp) => pages.total(stamp),
    facets: FACETS,
    about: { sorts: SORTS, limits: { ...SEARCH_LIMITS, q_characters: MAX_CHARACTERS, q_words: MAX_WORDS } },
  });
}

exports.createSearches = createSearches;
