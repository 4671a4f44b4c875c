'use strict';

const { readCursor, writeCursor } = require('./cursor');
const { readFacets } = require('../facets/facets');
const { Filters } = require('../facets/filters');
const { QueryWord } = require('../text/matching');
const { readPage } = require('./result-page');
const { identity, sortOf } = require('./query');
const { reportWord } = require('./query-report');
const { matchText } = require('../text/text-match');

/** @typedef {import('../query-context').QueryContext} QueryContext */
/** @typedef {import('./query').Query} Query */
/** @typedef {import('./query').Text} Text */
/**
 * @typedef {object} Answer
 * @property {number} loadId the cards must come from this load
 * @property {string | null} cursor of the commit that it has seen; null: this load cannot be written to
 * @property {number} total products that the query finds
 * @property {number[]} ids of the page
 * @property {string | null} next cursor of the page behind; null on the last one
 * @property {{ words: import('./query-report').WordReport[], ignored: string[] }} query
 * @property {import('../facets/facets').Facet[]} facets
 */

/** @param {QueryContext} context @param {Query} query @param {Text} text @param {string | null} cursor @returns {Promise<Answer>} */
async function answer(context, query, text, cursor) {
  const { index } = context;
  const sort = sortOf(query, text);
  const own = identity(query, text);
  const after = query.after === null ? null : readCursor(own, query.after);
  const filters = await Filters.read(context, query, text.excluded);
  await context.turn.pause();
  const words = text.words.map((word, at) => new QueryWord(index.dictionary, word, at === text.words.length - 1));
  const match = await matchText(context, words, filters.passed);
  await context.turn.pause();
  const { count, page } = query;
  const found = await readPage(context, match, sort, { offset: (page - 1) * count, after, count });
  const items = found.slice(0, count).map(({ ordinal, place }) => ({ id: index.ids.at(ordinal), place }));
  const last = found.length > count ? items.at(-1) : undefined;
  return {
    loadId: index.loadId,
    cursor,
    total: match.found.count,
    ids: items.map(({ id }) => id),
    next: last ? writeCursor(own, last) : null,
    query: { words: match.words.map((word) => reportWord(word, match.typos)), ignored: match.ignored },
    facets: await readFacets(context, query, filters, match),
  };
}

exports.answer = answer;
