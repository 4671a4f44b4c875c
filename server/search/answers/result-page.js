'use strict';

const { ranksOfPage } = require('../orders/order-page');
const { segmentsOf } = require('./relevance');

/** @typedef {import('./cursor').Last} Last */
/** @typedef {import('./query').Sort} Sort */
/** @typedef {import('../text/text-match').TextMatch} TextMatch */
/** @typedef {import('../query-context').Work} Work */
/** @typedef {{ offset: number, after: Last | null, count: number }} Page `offset` is not read with `after` */
/** @typedef {{ position: number, place: number }} Found a product and its place in the order, for a cursor */

/**
 * One page of the found products, and the product behind it if there is one.
 * @param {Work} work @param {TextMatch} match @param {Sort} sort @param {Page} page
 * @returns {Promise<Found[]>} at most `count` + 1
 */
async function readPage(work, match, sort, page) {
  const wanted = { ...page, count: page.count + 1 };
  if (sort === 'relevance') return byRelevance(work, match, wanted);
  if (sort === 'id') return byId(work, match, wanted);
  if (sort === 'newest') return byIdDescending(work, match, wanted);
  const order = sort.endsWith('price') ? work.index.byPrice : work.index.byName;
  return byOrder(work, match, { ...wanted, order, descending: sort.startsWith('-') });
}

/** @param {Work} work @param {TextMatch} match @param {Page} page @returns {Promise<Found[]>} */
async function byRelevance(work, match, page) {
  return page.after
    ? behindProduct(work, match, { count: page.count, after: page.after })
    : fromOffset(work, match, page);
}

/** @param {Work} work @param {TextMatch} match @param {Page} page @returns {Promise<Found[]>} */
async function fromOffset(work, match, { offset, count }) {
  /** @type {Found[]} */
  const found = [];
  let skip = offset;
  for await (const { number, set } of segmentsOf(work, match)) {
    for (const position of work.index.ids.page(set, skip, count - found.length))
      found.push({ position, place: number });
    skip = Math.max(0, skip - set.count);
    if (found.length === count) break;
  }
  return found;
}

/**
 * After a reload the product may be in another segment than the cursor says. If the query no longer finds it, the page continues at
 * the cursor's segment.
 * @param {Work} work @param {TextMatch} match @param {{ count: number, after: Last }} page
 * @returns {Promise<Found[]>}
 */
async function behindProduct(work, match, { count, after }) {
  const { ids } = work.index;
  const position = ids.find(after.id);
  const segments = [];
  for await (const segment of segmentsOf(work, match)) segments.push(segment);
  const own = position < 0 ? undefined : segments.find(({ set }) => set.has(position));
  const place = own ? own.number : after.place;
  /** @type {Found[]} */
  const found = [];
  for (const { number, set } of segments.filter((segment) => segment.number >= place)) {
    const skip = number === place ? ids.countBefore(set, after.id + 1) : 0;
    for (const each of ids.page(set, skip, count - found.length)) found.push({ position: each, place: number });
  }
  return found;
}

/** @param {Work} work @param {TextMatch} match @param {Page} page @returns {Found[]} */
function byId({ index: { ids } }, { found }, { offset, after, count }) {
  const skip = after ? ids.countBefore(found, after.id + 1) : offset;
  return Array.from(ids.page(found, skip, count), (position) => ({ position, place: 0 }));
}

/** @param {Work} work @param {TextMatch} match @param {Page} page @returns {Found[]} */
function byIdDescending({ index: { ids } }, { found }, { offset, after, count }) {
  const end = after ? ids.countBefore(found, after.id) : found.count - offset;
  const start = Math.max(0, end - count);
  const positions = ids.page(found, start, Math.max(0, end - start));
  return Array.from(positions, (position) => ({ position, place: 0 })).reverse();
}

/**
 * @param {Work} work @param {TextMatch} match
 * @param {Page & { order: import('../orders/order').Order, descending: boolean }} page
 * @returns {Found[]}
 */
function byOrder({ index }, { found }, { offset, after, count, order, descending }) {
  const start = after ? { edge: edgeBehind(order, index, { ...after, descending }) } : { offset };
  const ranks = ranksOfPage(order, found, { descending, start, count });
  return ranks.map((rank) => ({ position: order.positions[rank], place: rank }));
}

/**
 * The edge of the page behind a product. If the catalog does not have it any more, the next one in the order has its rank.
 * @param {import('../orders/order').Order} order @param {import('../index/search-index').SearchIndex} index
 * @param {Last & { descending: boolean }} last
 */
function edgeBehind(order, index, { id, place, descending }) {
  const position = index.ids.find(id);
  if (position < 0 || !index.all.has(position)) return Math.min(Math.max(0, place), order.length);
  const rank = order.positions[place] === position ? place : order.positions.indexOf(position);
  return descending ? rank : rank + 1;
}

exports.readPage = readPage;
