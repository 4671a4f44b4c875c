'use strict';

const { createHash } = require('node:crypto');

const { readFacets } = require('../facets/facets');
const { Filters } = require('../facets/filters');
const { QueryWord, queryWords } = require('../text/matching');
const { readPage } = require('./result-page');
const { requireDeclared } = require('./declared');
const { NO_PLACES, placesIn, withPinned } = require('./placed');
const { identity, sortOf } = require('./query');
const { readText } = require('../text/query-text');
const { matchText } = require('../text/text-match');
const { malformedParameter } = require('../../core/errors');

const PREFIX = 'c1.';
const DIGEST_BYTES = 8;
const BYTES = DIGEST_BYTES + 8;
const FORM = new RegExp(`^${PREFIX.replace('.', '\\.')}[\\w-]{${Math.ceil((BYTES * 4) / 3)}}$`);

/** @typedef {{ id: number, place: number }} Last product of a page: its id, and its rank in the order or its segment */

/** @param {string} identity of the query */
const digestOf = (identity) => createHash('sha256').update(identity).digest().subarray(0, DIGEST_BYTES);

/** @param {string} identity of the query and sort @param {Last} last @returns {string} */
function writeCursor(identity, { id, place }) {
  const bytes = Buffer.alloc(BYTES);
  bytes.set(digestOf(identity));
  bytes.writeInt32BE(id, DIGEST_BYTES);
  bytes.writeInt32BE(place, DIGEST_BYTES + 4);
  return PREFIX + bytes.toString('base64url');
}

/**
 * @param {string} identity of the query and sort @param {string} cursor
 * @returns {Last}
 * @throws {import('../../core/errors').Problem} 400 when it is not one, or that of another query
 */
function readCursor(identity, cursor) {
  if (!FORM.test(cursor)) throw malformedParameter('after must be the value of next of an earlier reply.');
  const bytes = Buffer.from(cursor.slice(PREFIX.length), 'base64url');
  if (!bytes.subarray(0, DIGEST_BYTES).equals(digestOf(identity))) {
    throw malformedParameter('after belongs to another query or sort. Start again without it.');
  }
  return { id: bytes.readInt32BE(DIGEST_BYTES), place: bytes.readInt32BE(DIGEST_BYTES + 4) };
}

/** So many terms are listed for a word. */
const MAX_TERMS = 50;

/** @typedef {{ word: string, as: string[], shown: string[], typos: number }} WordReport `as`: what matched; `shown`: as texts write it; `typos`: how far it is from the word */

/**
 * The terms that a word has matched: itself, words that begin with it, its forms and what it is written as otherwise, then its nearest words, then
 * words that begin with one of those; each by products, descending.
 * @param {QueryWord} word @param {import('../index/search-index').SearchIndex} index @param {boolean} withTypos whether typos count
 * @returns {WordReport}
 */
function reportWord(word, { dictionary, spellings }, withTypos) {
  const { a } = dictionary.counts;
  const byProducts = (/** @type {number[]} */ words) => [...words].sort((x, y) => a[y] - a[x] || x - y);
  const { words, beginnings, distance } = word.nearest;
  const own = word.terms.map(({ index }) => index);
  const beginning = word.terms.flatMap(({ range }) => dictionary.mostFrequent(range, MAX_TERMS));
  const others = [
    ...word.terms.flatMap(({ forms }) => forms),
    ...word.others.flat().flatMap((term) => [term.index, ...term.forms]),
  ];
  const nearest = withTypos ? [...byProducts(words), ...byProducts(beginnings)] : [];
  const found = [...own, ...beginning, ...byProducts(others.filter((index) => index >= 0)), ...nearest];
  const terms = new Set(found.filter((index) => index >= 0 && a[index] > 0));
  const as = [...terms].slice(0, MAX_TERMS).map((index) => dictionary.word(index));
  return { word: word.text, as, shown: as.map((term) => spellings.of(term)), typos: withTypos ? distance : 0 };
}

/** @typedef {import('../query-context').QueryContext} QueryContext */
/** @typedef {import('./query').Query} Query */
/** @typedef {import('../text/query-text').Text} Text */
/**
 * @typedef {object} Answer
 * @property {number} loadId the cards must come from this load
 * @property {string | null} cursor of the commit that it has seen; null: this load cannot be written to
 * @property {number} total products that the query finds
 * @property {number[]} ids of the page
 * @property {string | null} next cursor of the page behind; null on the last one
 * @property {{ words: WordReport[], optional: string[], ignored: string[], pinned?: number[] }} query `pinned`: ids that the shop puts first, if there are any
 * @property {import('../facets/facets').Facet[]} facets
 * @property {Map<string, import('../../core/field-range').Field>} fields that the load declares
 */

/** @param {QueryContext} context @param {Query} query @param {Text} text @param {string | null} cursor @returns {Promise<Answer>} */
async function answer(context, query, text, cursor) {
  const { index } = context;
  requireDeclared(index.fields, query);
  const sort = sortOf(query, text);
  const own = identity(query, text);
  const after = query.after === null ? null : readCursor(own, query.after);
  const filters = await Filters.read(context, query, text.excluded);
  await context.turn.pause();
  const { words, optional, ignored } = readText(text, context.tuning);
  const wanted = {
    words: queryWords(context, words),
    optional: optional.map((unit) => new QueryWord(context, unit)),
    ignored,
  };
  const places = placesIn(context, query, words);
  const match = withPinned(context, await matchText(context, wanted, filters.passed), places.pinned, filters.passed);
  await context.turn.pause();
  const { count, page } = query;
  const isPlaced = query.sort === null || sort === 'relevance';
  const found = await readPage(context, match, sort, {
    offset: (page - 1) * count,
    after,
    count,
    places: isPlaced ? places : NO_PLACES,
  });
  const pinned = places.pinned.filter((ordinal) => match.found.has(ordinal)).map((ordinal) => index.ids.at(ordinal));
  const items = found.slice(0, count).map(({ ordinal, place }) => ({ id: index.ids.at(ordinal), place }));
  const last = found.length > count ? items.at(-1) : undefined;
  return {
    loadId: index.loadId,
    cursor,
    total: match.found.count,
    ids: items.map(({ id }) => id),
    next: last ? writeCursor(own, last) : null,
    query: {
      words: match.words.map((word) => reportWord(word, index, match.typos)),
      optional: match.optional.map((word) => word.text),
      ignored: match.ignored,
      ...(pinned.length > 0 && { pinned }),
    },
    facets: await readFacets(context, query, filters, match),
    fields: index.fields,
  };
}

exports.answer = answer;
