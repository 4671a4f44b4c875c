'use strict';

const { ranksOfPage } = require('../orders/order-page');
const { isPlace, placedPage } = require('./placed');
const { matchesOf } = require('../text/matching');
const { intersect, subtract, unite } = require('../sets/set-algebra');

/** The place of products without a value in a cursor: above all ranks, below those that were placed. */
const NO_VALUE = 2 ** 30 - 1;

/** @typedef {import('../sets/ordinal-set').OrdinalSet} OrdinalSet */
/** @typedef {{ number: number, set: OrdinalSet, order?: import('../orders/order').Order }} Segment in id order, or in another one */

/** Tiers from the best: words of the name, of name and attributes, of all texts; the last word exact or also as a prefix. */
const TIERS = /** @type {const} */ ([
  ['n', false],
  ['n', true],
  ['m', true],
  ['a', true],
]);

/**
 * The found products by relevance, as sets that do not overlap: tier for tier, then tier for tier with typos. In each, words as written
 * come before other forms, more little words before fewer, products in stock before others, those with a weight before others. Segments are made when they are asked for.
 * @param {QueryContext} context @param {TextMatch} match
 * @returns {AsyncGenerator<Segment>} in order, some of them empty; a segment keeps its number from page to page
 */
async function* segmentsOf(context, match) {
  const stock = await context.set('f:in_stock');
  const optional = await matchesOf(context, match.optional, 'a', { prefix: false, forms: false, typos: false });
  const rank = context.tuning.rankOf(context.index);
  let number = 0;
  for await (const tier of tiersOf(context, match)) {
    for (const set of byLittleWords(context, tier, optional)) {
      const inStock = intersect(context, [set, stock]);
      for (const part of [inStock, subtract(context, set, inStock)]) {
        const ranked = rank && intersect(context, [part, rank.set]);
        if (ranked) yield { number: number++, set: ranked, order: rank.order };
        yield { number: number++, set: ranked ? subtract(context, part, ranked) : part };
      }
    }
    await context.turn.pause();
  }
}

/** @param {QueryContext} context @param {TextMatch} match @returns {AsyncGenerator<OrdinalSet>} */
async function* tiersOf(context, { words, typos, found }) {
  const written = words.some((word) => word.hasOthers) ? [false, true] : [true];
  const passes = typos ? [false, true] : [false];
  const tiers = words.length === 0 ? [] : passes.flatMap((each) => TIERS.map((tier) => ({ tier, typos: each })));
  let rest = found;
  for (const { tier, typos: withTypos } of tiers) {
    const [wordClass, prefix] = tier;
    for (const forms of written) {
      if (rest.count === 0) return;
      const isLast = forms && withTypos === typos && tier === TIERS[TIERS.length - 1]; // what all others have left
      const sets = isLast ? [] : await matchesOf(context, words, wordClass, { prefix, forms, typos: withTypos });
      const products = intersect(context, [rest, ...sets]);
      yield products;
      rest = subtract(context, rest, products);
    }
  }
  if (words.length === 0) yield rest;
}

/** @param {QueryContext} context @param {OrdinalSet} set @param {OrdinalSet[]} optional @returns {OrdinalSet[]} those with most of them first */
function byLittleWords(context, set, optional) {
  const least = [set]; // products with so many at least
  for (const each of optional) {
    for (let count = least.length; count > 0; count -= 1) {
      const more = intersect(context, [least[count - 1], each]);
      least[count] = least[count] ? unite(context, [least[count], more]) : more;
    }
  }
  return least.map((some, count) => (least[count + 1] ? subtract(context, some, least[count + 1]) : some)).reverse();
}

/** @typedef {import('./answer').Last} Last */
/** @typedef {import('./query').Sort} Sort */
/** @typedef {import('../text/text-match').TextMatch} TextMatch */
/** @typedef {import('../query-context').QueryContext} QueryContext */
/** @typedef {{ offset: number, after: Last | null, count: number }} Page `offset` is not read with `after` */
/** @typedef {{ ordinal: number, place: number }} Found a product and its place in the order, for a cursor */

/**
 * One page of the found products, and the product behind it if there is one.
 * @param {QueryContext} context @param {TextMatch} match @param {Sort} sort
 * @param {Page & { places: import('./placed').PlacedOrdinals }} page
 * @returns {Promise<Found[]>} at most `count` + 1
 */
async function readPage(context, match, sort, page) {
  const { places, ...wanted } = { ...page, count: page.count + 1 };
  const isPlaced = places.pinned.length + places.buried.length > 0 || isPlace(page.after);
  if (!isPlaced) return orderedPage(context, match, sort, wanted);
  return placedPage(context, match, { ...wanted, places }, (others, part) => orderedPage(context, others, sort, part));
}

/** @param {QueryContext} context @param {TextMatch} match @param {Sort} sort @param {Page} wanted @returns {Promise<Found[]>} */
async function orderedPage(context, match, sort, wanted) {
  if (sort === 'relevance') return byRelevance(context, match, wanted);
  if (sort === 'id') return byId(context, match, wanted);
  if (sort === 'newest') return byIdDescending(context, match, wanted);
  const [name, descending] = [sort.replace(/^-/, ''), sort.startsWith('-')];
  if (name === 'name') return byOrder(context, match, { ...wanted, order: context.index.byName, descending });
  return byScale(context, match, { ...wanted, scale: await context.scale(name), descending });
}

/** @param {QueryContext} context @param {TextMatch} match @param {Page} page @returns {Promise<Found[]>} */
async function byRelevance(context, match, page) {
  return page.after
    ? behindProduct(context, match, { count: page.count, after: page.after })
    : fromOffset(context, match, page);
}

/** @param {QueryContext} context @param {TextMatch} match @param {Page} page @returns {Promise<Found[]>} */
async function fromOffset(context, match, { offset, count }) {
  /** @type {Found[]} */
  const found = [];
  let skip = offset;
  for await (const segment of segmentsOf(context, match)) {
    const { number, set } = segment;
    for (const ordinal of ofSegment(context, segment, { offset: skip }, count - found.length))
      found.push({ ordinal, place: number });
    skip = Math.max(0, skip - set.count);
    if (found.length === count) break;
  }
  return found;
}

/**
 * After a reload the product may be in another segment than the cursor says. If the query no longer finds it, the page continues at
 * the cursor's segment.
 * @param {QueryContext} context @param {TextMatch} match @param {{ count: number, after: Last }} page
 * @returns {Promise<Found[]>}
 */
async function behindProduct(context, match, { count, after }) {
  const ordinal = context.index.ids.find(after.id);
  const segments = [];
  for await (const segment of segmentsOf(context, match)) segments.push(segment);
  const own = ordinal < 0 ? undefined : segments.find(({ set }) => set.has(ordinal));
  const place = own ? own.number : after.place;
  /** @type {Found[]} */
  const found = [];
  for (const segment of segments.filter(({ number }) => number >= place)) {
    const start = segment.number === place ? startBehind(context, segment, ordinal, after.id) : { offset: 0 };
    for (const each of ofSegment(context, segment, start, count - found.length))
      found.push({ ordinal: each, place: segment.number });
  }
  return found;
}

/** @typedef {import('../orders/order-page').Start} Start */
/** @param {QueryContext} context @param {Segment} segment @param {Start} start @param {number} count @returns {Iterable<number>} ordinals */
function ofSegment({ index }, { set, order }, start, count) {
  if (!order) return index.ids.page(set, start.offset ?? 0, count);
  return ranksOfPage(order, set, { descending: false, start, count }).map((rank) => order.ordinals[rank]);
}

/** Behind a product that may not be in the segment any more. @param {QueryContext} context @param {Segment} segment @param {number} ordinal @param {number} id @returns {Start} */
function startBehind({ index }, { set, order }, ordinal, id) {
  return order ? { edge: order.ordinals.indexOf(ordinal) + 1 } : { offset: index.ids.countBefore(set, id + 1) };
}

/** @param {QueryContext} context @param {TextMatch} match @param {Page} page @returns {Found[]} */
function byId({ index: { ids } }, { found }, { offset, after, count }) {
  const skip = after ? ids.countBefore(found, after.id + 1) : offset;
  return Array.from(ids.page(found, skip, count), (ordinal) => ({ ordinal, place: 0 }));
}

/** @param {QueryContext} context @param {TextMatch} match @param {Page} page @returns {Found[]} */
function byIdDescending({ index: { ids } }, { found }, { offset, after, count }) {
  const end = after ? ids.countBefore(found, after.id) : found.count - offset;
  const start = Math.max(0, end - count);
  const ordinals = ids.page(found, start, Math.max(0, end - start));
  return Array.from(ordinals, (ordinal) => ({ ordinal, place: 0 })).reverse();
}

/**
 * @param {QueryContext} context @param {TextMatch} match
 * @param {Page & { order: import('../orders/order').Order, descending: boolean }} page
 * @returns {Found[]}
 */
function byOrder({ index }, { found }, { offset, after, count, order, descending }) {
  const start = after ? { edge: edgeBehind(order, index, { ...after, descending }) } : { offset };
  const ranks = ranksOfPage(order, found, { descending, start, count });
  return ranks.map((rank) => ({ ordinal: order.ordinals[rank], place: rank }));
}

/**
 * Products without a value follow by ascending id, both ways.
 * @param {QueryContext} context @param {TextMatch} match
 * @param {Page & { scale: import('../orders/scale').Scale, descending: boolean }} page
 * @returns {Found[]}
 */
function byScale(context, match, { scale, ...page }) {
  if (scale.order.isWhole) return byOrder(context, match, { ...page, order: scale.order });
  const having = scale.having(context);
  const found = intersect(context, [match.found, having]);
  const others = { ...match, found: subtract(context, match.found, having) };
  const { after, count } = page;
  const isOther = after !== null && !isAmong(context, after, having);
  const first = isOther ? [] : byOrder(context, { ...match, found }, { ...page, order: scale.order });
  const offset = after ? 0 : Math.max(0, page.offset - found.count);
  const rest = byId(context, others, { offset, after: isOther ? after : null, count: count - first.length });
  return [...first, ...rest.map(({ ordinal }) => ({ ordinal, place: NO_VALUE }))];
}

/** The product of a cursor has a value; if there is no such product any more, it had one. @param {QueryContext} context @param {Last} after @param {OrdinalSet} having */
function isAmong({ index }, { id, place }, having) {
  const ordinal = index.ids.find(id);
  return ordinal < 0 || !index.all.has(ordinal) ? place !== NO_VALUE : having.has(ordinal);
}

/**
 * The edge of the page behind a product. If the catalog does not have it any more, the next one in the order has its rank.
 * @param {import('../orders/order').Order} order @param {import('../index/search-index').SearchIndex} index
 * @param {Last & { descending: boolean }} last
 */
function edgeBehind(order, index, { id, place, descending }) {
  const ordinal = index.ids.find(id);
  if (ordinal < 0 || !index.all.has(ordinal)) return Math.min(Math.max(0, place), order.length);
  const rank = order.ordinals[place] === ordinal ? place : order.ordinals.indexOf(ordinal);
  return descending ? rank : rank + 1;
}

exports.readPage = readPage;
