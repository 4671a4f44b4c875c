'use strict';

const { plainDecimal } = require('../../core/decimals');

/** Ties are broken by id, so every order is total. A descending order is the ascending one reversed. */
/** @typedef {'relevance' | 'id' | 'price' | '-price' | 'name' | '-name' | 'newest' | `field.${string}` | `-field.${string}`} Sort */
/**
 * @typedef {object} Query a valid request: names and numbers are checked, defaults filled in
 * @property {string} q '' for none
 * @property {Record<string, string[]>} filters values by name: category, size, feature.NAME, field.NAME
 * @property {boolean} onSale @property {boolean} inStock false: no filter
 * @property {string | null} minPrice @property {string | null} maxPrice decimals, both included
 * @property {Sort | null} sort null: relevance when q has a word, else id
 * @property {number} count products of a page, from 0
 * @property {number} page from 1; not read with `after`
 * @property {string | null} after a cursor
 * @property {string[]} facets names; `feature` is all features
 * @property {number} facetValues of each facet, at most
 */
/** @typedef {import('../text/query-text').Text} Text */

/** @param {Query} query @param {Text} text @returns {Sort} */
const sortOf = ({ sort }, { units }) => sort ?? (units.length > 0 ? 'relevance' : 'id');

/**
 * The parts of a query that decide which products it finds and in which order: equal for two spellings of one query, whatever their page.
 * @param {Query} query @param {Text} text
 * @returns {string}
 */
function identity(query, text) {
  const filters = Object.entries(query.filters).map(([name, values]) => [name, [...new Set(values)].sort()]);
  return JSON.stringify([
    text.units.map((unit) => unit.text),
    text.excluded.map((unit) => unit.text).sort(),
    text.signs,
    filters.sort(([a], [b]) => (a < b ? -1 : 1)),
    query.onSale,
    query.inStock,
    query.minPrice === null ? null : plainDecimal(query.minPrice),
    query.maxPrice === null ? null : plainDecimal(query.maxPrice),
    sortOf(query, text),
  ]);
}

exports.sortOf = sortOf;
exports.identity = identity;
