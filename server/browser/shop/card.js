import { productAddress, titleOf } from './address.js';
import { h } from '../shared/dom.js';
import { valueNodes } from './field-values.js';
import { marked } from './marked.js';
import { picture } from './picture.js';
import { counted, money } from './written.js';

/** @typedef {import('../../client/catalog.js').Card} Card */
/** @typedef {import('./marked.js').Words} Words */

/** Sizes that fit on one line. */
const MAX_SIZES = 6;

/**
 * The price of a product. "From" also where that is reduced: the page of the product may open a style that costs more.
 * The old price only where the same style has become cheaper.
 * @param {{ price: string, original_price: string, max_price?: string }} offer
 */
export function price({ price: now, original_price: before, max_price: most = now }) {
  const isReduced = Number(now) < Number(before);
  const hasMore = most !== now;
  return h(
    'span',
    { class: isReduced ? 'price reduced' : 'price' },
    hasMore && h('span', { class: 'from' }, 'from '),
    isReduced && !hasMore && h('span', { class: 'hidden' }, 'now '),
    h('span', {}, money(now)),
    isReduced && h('span', { class: 'hidden' }, ', before '),
    isReduced && h('s', {}, money(before)),
  );
}

/** The badge says it of a product that is sold out. @param {Card} card */
function stock({ offer: { sizes, styles } }) {
  if (styles === 0) return h('span', { class: 'tile-stock' }, 'No styles yet');
  if (sizes.length === 0) return null;
  const rest = sizes.length - MAX_SIZES;
  const listed = sizes.slice(0, MAX_SIZES).flatMap((size, index) => [index > 0 && ' · ', h('bdi', {}, size)]);
  const hidden = h('span', { class: 'hidden' }, 'Sizes in stock: ');
  return h('span', { class: 'tile-stock' }, hidden, ...listed, rest > 0 && ` +${rest}`);
}

/** @param {Card} card */
function badge({ offer }) {
  if (offer.styles > 0 && !offer.in_stock) return h('span', { class: 'badge' }, 'Sold out');
  return offer.on_sale && h('span', { class: 'badge sale' }, 'Sale');
}

/** The shop's own fields that a card has. @param {Card} card @param {Words} words */
const fieldLines = ({ fields = {} }, words) =>
  Object.entries(fields).map(([name, value]) =>
    h('span', { class: 'tile-field' }, `${titleOf(name)}: `, ...valueNodes(value, words)),
  );

/**
 * A product as a tile.
 * @param {Card} card @param {{ words?: Words, first?: boolean }} [how] first: seen without scrolling
 */
function tile(card, { words = [], first = false } = {}) {
  const { id, name, category, offer } = card;
  const isGone = offer.styles > 0 && !offer.in_stock;
  return h(
    'li',
    { class: isGone ? 'tile gone' : 'tile' },
    h(
      'a',
      { href: productAddress(id) },
      picture(card, { url: offer.thumbnail_url, first }),
      badge(card),
      h('span', { class: 'tile-category', dir: 'auto' }, ...marked(category, words)),
      h('span', { class: 'tile-name', dir: 'auto' }, ...marked(name, words)),
      price(offer),
      stock(card),
      offer.styles > 1 && h('span', { class: 'tile-styles' }, counted(offer.styles, 'style')),
      ...fieldLines(card, words),
    ),
  );
}

/** @param {Card[]} cards @param {{ words?: Words }} [how] */
export const grid = (cards, { words } = {}) =>
  h('ul', { class: 'grid' }, ...cards.map((card, index) => tile(card, { words, first: index < 8 })));
