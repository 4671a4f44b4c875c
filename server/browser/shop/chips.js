import { changed, filtersIn, listAddress, titleOf, toggled, withoutFilters } from './address.js';
import { h } from '../shared/dom.js';
import { money, priceRange } from './written.js';

/** @typedef {{ text: (Node | string)[], without: URLSearchParams }} Chip */

/** @param {string} name @param {string} value @returns {(Node | string)[]} */
function textOf(name, value) {
  if (name === 'on_sale' || name === 'in_stock') return [titleOf(name)];
  const text = h('bdi', {}, value);
  return name === 'category' ? [text] : [h('bdi', {}, titleOf(name)), ': ', text];
}

/** @param {URLSearchParams} query @returns {Chip | null} both ends of the price */
function priceChip(query) {
  const [from, to] = ['min_price', 'max_price'].map((name) => query.get(name));
  if (from === null && to === null) return null;
  const text =
    from === null ? `Up to ${money(String(to))}` : to === null ? `From ${money(from)}` : priceRange(from, to);
  return { text: [text], without: withoutPrice(query) };
}

/** @param {URLSearchParams} query */
export const withoutPrice = (query) =>
  changed(query, (next) => ['min_price', 'max_price'].forEach((name) => next.delete(name)));

/** @param {URLSearchParams} query */
export const withoutWords = (query) => changed(query, (next) => ['q', 'sort'].forEach((name) => next.delete(name)));

/** @param {URLSearchParams} query @returns {Chip[]} */
function chipsOf(query) {
  const ofPrice = priceChip(query);
  const others = filtersIn(query)
    .filter(([name]) => !name.endsWith('_price'))
    .map(([name, value]) => ({ text: textOf(name, value), without: toggled(query, name, value) }));
  return [...others, ...(ofPrice ? [ofPrice] : [])];
}

/** The filters of a list, each with a way to remove it; nothing when there is none. @param {URLSearchParams} query */
export function chips(query) {
  const all = chipsOf(query);
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
