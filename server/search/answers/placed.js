'use strict';

const { intersect, setOf, subtract, unite } = require('../sets/set-algebra');

/** Places of cursors: pinned products count down from -1, buried ones up from here, above all ranks and segments. */
const BURIED = 2 ** 30;

/** @typedef {import('../query-context').QueryContext} QueryContext */
/** @typedef {import('../text/text-match').TextMatch} TextMatch */
/** @typedef {import('./result-page').Page} Page @typedef {import('./result-page').Found} Found */
/** @typedef {{ pinned: number[], buried: number[] }} PlacedOrdinals of products that there are */

/** @type {PlacedOrdinals} */
const NO_PLACES = { pinned: [], buried: [] };

/** The places that the shop gives to products of a query. @param {QueryContext} context @param {import('./query').Query} query @param {import('../text/query-text').Reading['words']} words @returns {PlacedOrdinals} */
function placesIn({ index, tuning }, query, words) {
  const { pinned, buried } = tuning.placesOf(query, words);
  const known = (/** @type {number[]} */ ids) =>
    ids.map((id) => index.ids.find(id)).filter((ordinal) => ordinal >= 0 && index.all.has(ordinal));
  return { pinned: known(pinned), buried: known(buried) };
}

/** Pinned products belong to what a query finds if they pass its filters. @param {QueryContext} context @param {TextMatch} match @param {number[]} pinned @param {import('../sets/ordinal-set').OrdinalSet} passed @returns {TextMatch} */
function withPinned(context, match, pinned, passed) {
  if (pinned.length === 0) return match;
  const set = setOf(context, pinned);
  const matched = unite(context, [match.matched, set]);
  return { ...match, matched, found: unite(context, [match.found, intersect(context, [set, passed])]) };
}

/**
 * A page with pinned products first and buried ones last. Between them the others have their order.
 * @param {QueryContext} context @param {TextMatch} match @param {Page & { places: PlacedOrdinals }} page
 * @param {(match: TextMatch, page: Page) => Promise<Found[]>} pageOfOthers
 * @returns {Promise<Found[]>}
 */
async function placedPage(context, match, { offset, after, count, places }, pageOfOthers) {
  const [first, last] = [places.pinned, places.buried].map((some) =>
    some.filter((ordinal) => match.found.has(ordinal)),
  );
  const others = subtract(context, match.found, setOf(context, [...first, ...last]));
  const ends = { first: first.length, others: first.length + others.count };
  const behind = after !== null && !isPlace(after);
  // The cursor of a placed product tells how many come before the page; that of another one is one of their order.
  const skipped = after === null ? offset : behind ? ends.first : skippedBy(context, after, { first, last, ends });
  /** @type {Found[]} */
  const found = first.map((ordinal, at) => ({ ordinal, place: -1 - at })).slice(skipped, skipped + count);
  const missing = count - found.length;
  if (missing > 0 && (behind || skipped < ends.others)) {
    const page = { offset: Math.max(0, skipped - ends.first), after: behind ? after : null, count: missing };
    found.push(...(await pageOfOthers({ ...match, found: others }, page)));
  }
  const buried = last.map((ordinal, at) => ({ ordinal, place: BURIED + at }));
  return [...found, ...buried.slice(Math.max(0, skipped - ends.others))].slice(0, count);
}

/**
 * The products up to one that was placed. It may be placed no longer: then the page begins where its neighbours were.
 * @param {QueryContext} context @param {import('./answer').Last} after
 * @param {{ first: number[], last: number[], ends: { first: number, others: number } }} placed
 */
function skippedBy({ index }, { id, place }, { first, last, ends }) {
  const [own, before] = place < 0 ? [first, 0] : [last, ends.others];
  const at = own.indexOf(index.ids.find(id));
  const was = place < 0 ? -1 - place : place - BURIED;
  return before + Math.min(own.length, at < 0 ? was : at + 1);
}

/** @param {import('./answer').Last | null} after @returns {boolean} whether the product of a cursor was placed */
const isPlace = (after) => after !== null && (after.place < 0 || after.place >= BURIED);

exports.NO_PLACES = NO_PLACES;
exports.isPlace = isPlace;
exports.placedPage = placedPage;
exports.placesIn = placesIn;
exports.withPinned = withPinned;
