import { changed, filtersIn, listAddress, titleOf, toggled, withoutFilters } from './address.js';
import { h } from '../shared/dom.js';
import { filterText } from './field-values.js';
import { priceRange } from './written.js';

/** @typedef {{ text: (Node | string)[], without: URLSearchParams }} Chip @typedef {import('./field-menu.js').Fields} Fields */

const PRICES = ['min_price', 'max_price'];

/** @param {string} name @param {string} value @param {Fields} fields @returns {(Node | string)[]} */
function textOf(name, value, fields) {
  if (name === 'on_sale' || name === 'in_stock') return [titleOf(name)];
  const text = h('bdi', {}, filterText(fields.get(name), value));
  return name === 'category' ? [text] : [h('bdi', {}, titleOf(name)), ': ', text];
}

/** @param {URLSearchParams} query @returns {Chip | null} both ends of the price */
function priceChip(query) {
  const [from, to] = PRICES.map((name) => query.get(name));
  if (from === null && to === null) return null;
  return { text: [priceRange(from, to)], without: withoutPrice(query) };
}

/** @param {URLSearchParams} query */
export const withoutPrice = (query) => changed(query, (next) => PRICES.forEach((name) => next.delete(name)));

/** @param {URLSearchParams} query */
export const withoutWords = (query) => changed(query, (next) => ['q', 'sort'].forEach((name) => next.delete(name)));

/** @param {URLSearchParams} query @param {Fields} fields @returns {Chip[]} */
function chipsOf(query, fields) {
  const ofPrice = priceChip(query);
  const others = filtersIn(query)
    .filter(([name]) => !PRICES.includes(name))
    .map(([name, value]) => ({ text: textOf(name, value, fields), without: toggled(query, name, value) }));
  return [...others, ...(ofPrice ? [ofPrice] : [])];
}

/** The filters of a list, each with a way to remove it; nothing when there is none. @param {URLSearchParams} query @param {Fields} fields */
export function chips(query, fields) {
  const all = chipsOf(query, fields);
  if (all.length === 0) return null;
  const items = all.map(({ text, without }) =>
    h(
      'li',
      {},
      h(
        'a',
        { class: 'chip', href: listAddress(without) },
        h('span', { class: 'hidden' }, 'Remove filter '),
        h('span', {}, ...text),
      ),
    ),
  );
  const clear = h('li', {}, h('a', { class: 'quiet', href: listAddress(withoutFilters(query)) }, 'Clear all'));
  return h('ul', { class: 'chips', 'aria-label': 'Filters' }, ...items, all.length > 1 && clear);
}
