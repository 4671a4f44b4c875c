'use strict';

const { matchesOf } = require('../text/matching');
const { intersect, subtract } = require('../sets/set-algebra');

/** @typedef {import('../text/matching').WordClass} WordClass */
/** @typedef {import('../sets/ordinal-set').OrdinalSet} OrdinalSet */
/** @typedef {{ number: number, set: OrdinalSet }} Segment */

/** Tiers from the best: words of the name, of name and attributes, of all texts; the last word exact or also as a prefix. */
const TIERS = /** @type {const} */ ([
  ['n', false],
  ['n', true],
  ['m', true],
  ['a', true],
]);

/**
 * The found products by relevance, as sets that do not overlap: tier for tier, then tier for tier with typos. In each, products
 * in stock come first; inside a segment products are in id order. Segments are made when they are asked for.
 * @param {import('../query-context').QueryContext} context @param {import('../text/text-match').TextMatch} match
 * @returns {AsyncGenerator<Segment>} in order, some of them empty; a segment keeps its number from page to page
 */
async function* segmentsOf(context, match) {
  const stock = await context.set('f:in_stock');
  let number = 0;
  for await (const tier of tiersOf(context, match)) {
    const inStock = intersect(context, [tier, stock]);
    yield { number, set: inStock };
    yield { number: number + 1, set: subtract(context, tier, inStock) };
    number += 2;
    await context.turn.pause();
  }
}

/** @param {import('../query-context').QueryContext} context @param {import('../text/text-match').TextMatch} match @returns {AsyncGenerator<OrdinalSet>} */
async function* tiersOf(context, { words, typos, found }) {
  const passes = typos ? [false, true] : [false];
  const tiers = words.length === 0 ? [] : passes.flatMap((each) => TIERS.map((tier) => ({ tier, typos: each })));
  let rest = found;
  // The last tier is what all others have left.
  for (const { tier, typos: withTypos } of tiers.slice(0, -1)) {
    if (rest.count === 0) return;
    const [wordClass, prefix] = tier;
    const sets = await matchesOf(context, words, wordClass, { prefix, typos: withTypos });
    const products = intersect(context, [rest, ...sets]);
    yield products;
    rest = subtract(context, rest, products);
  }
  yield rest;
}

exports.segmentsOf = segmentsOf;
