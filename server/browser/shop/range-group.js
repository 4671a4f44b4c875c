import { changed, titleOf, toggled } from './address.js';
import { withoutPrice } from './chips.js';
import { box } from './choice-box.js';
import { h } from '../shared/dom.js';
import { rangeText } from './field-values.js';
import { money, priceRange, typedNumber, typedPrice } from './written.js';

/** @typedef {import('../../client/catalog.js').PriceFacet} PriceFacet @typedef {import('../../client/catalog.js').RangeFacet} RangeFacet */
/** @typedef {import('./filter-panel.js').Change} Change */
/** @typedef {{ id: string, label: string, value: string | null, placeholder: string | null | undefined }} End */
/** @typedef {{ id: string, text: string, count: number, selected: boolean, chosen: (query: URLSearchParams, isChosen: boolean) => URLSearchParams }} Band */
/**
 * @typedef {object} Ranges a price, number or date that a list is narrowed by
 * @property {string} name of the facet
 * @property {'price' | 'number' | 'date'} type
 * @property {End[]} ends the lowest and the highest
 * @property {Band[]} bands
 * @property {(text: string) => string | null} typed as the service reads it, '' for none; null: it is no value
 * @property {string} hint
 * @property {(query: URLSearchParams, from: string, to: string) => URLSearchParams} within the list with this range alone; '': no bound
 */

/** @param {URLSearchParams} query @param {string} from @param {string} to '': none */
function withPrices(query, from, to) {
  const next = withoutPrice(query);
  if (from !== '') next.set('min_price', from);
  if (to !== '') next.set('max_price', to);
  return next;
}

/** @param {PriceFacet} facet @param {URLSearchParams} query @returns {Ranges} */
export function priceRanges({ name, min: lowest, max: highest, values }, query) {
  const [from, to] = ['min_price', 'max_price'].map((each) => query.get(each));
  return {
    name,
    type: 'price',
    ends: [
      { id: 'min_price', label: 'Lowest price', value: from, placeholder: lowest && money(lowest) },
      { id: 'max_price', label: 'Highest price', value: to, placeholder: highest && money(highest) },
    ],
    bands: values.map(({ min_price: min, max_price: max, count }) => ({
      id: `price=${min}`,
      text: priceRange(min, max),
      count,
      selected: min === from && max === to,
      chosen: (latest, isChosen) => (isChosen ? withPrices(latest, min, max) : withoutPrice(latest)),
    })),
    typed: typedPrice,
    hint: 'A price in digits, as 49.90',
    within: withPrices,
  };
}

/**
 * Several bands of a field may be chosen; a typed range replaces them.
 * @param {RangeFacet} facet @param {'number' | 'date'} type @param {URLSearchParams} query @returns {Ranges}
 */
export function fieldRanges({ name, min: lowest, max: highest, values }, type, query) {
  const chosen = query.getAll(name);
  const [from, to = from] = chosen.length === 1 ? chosen[0].split('..') : [''];
  const isDate = type === 'date';
  const end = (/** @type {string} */ id, /** @type {string} */ word, /** @type {string} */ value) => ({
    id: `${name}-${id}`,
    label: `${titleOf(name)}, ${word}`,
    value: isDate ? value.slice(0, 'YYYY-MM-DD'.length) : value,
  });
  return {
    name,
    type,
    ends: [
      { ...end('from', isDate ? 'earliest' : 'lowest', from), placeholder: lowest },
      { ...end('to', isDate ? 'latest' : 'highest', to), placeholder: highest },
    ],
    bands: values.map(({ min, max, count }) => {
      const value = `${min}..${max}`;
      return {
        id: `${name}=${value}`,
        text: rangeText(type, min, max),
        count,
        selected: chosen.includes(value),
        chosen: (latest) => toggled(latest, name, value),
      };
    }),
    typed: isDate ? (text) => text : typedNumber,
    hint: 'A number in digits, as 12.5',
    within: (latest, first, last) =>
      changed(latest, (next) => {
        next.delete(name);
        if (first + last !== '') next.set(name, `${first}..${last}`);
      }),
  };
}

/** @param {End} end @param {Ranges} ranges */
function endField({ id, label, value, placeholder }, { type, typed, hint }) {
  // A browser takes years of six digits, which the service refuses.
  const form = type === 'date' ? { type, max: '9999-12-31' } : { type: 'text', inputmode: 'decimal', placeholder };
  const input = h('input', { id, 'aria-label': label, value, ...form });
  input.addEventListener('input', () => input.setCustomValidity(typed(input.value) === null ? hint : ''));
  return input;
}

/** A line may end between two dates, and not in one. @param {string} text */
const unbroken = (text) =>
  text.split(' – ').flatMap((date, index) => [index > 0 ? ' – ' : '', h('span', { class: 'date' }, date)]);

/** Bands to choose, and two fields for any other range. @param {Ranges} ranges @param {Change} change @returns {Node[]} */
export function rangeGroup(ranges, change) {
  const { name, type, ends, bands, typed, within } = ranges;
  const boxes = bands.map(({ chosen, text, ...band }) =>
    box({ ...band, text: type === 'date' ? unbroken(text) : text }, (isChosen) =>
      change((latest) => chosen(latest, isChosen)),
    ),
  );
  const [lowest, highest] = ends.map((end) => endField(end, ranges));
  const form = h(
    'form',
    { class: `range-form ${type}`, action: './' },
    lowest,
    h('span', { class: 'to' }, 'to'),
    highest,
    h('button', { id: `${name}-apply`, 'aria-label': `Apply ${titleOf(name)}` }, 'Apply'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const [from, to] = [lowest, highest].map((input) => typed(input.value) ?? '');
    change((latest) => within(latest, from, to));
  });
  return [h('div', { class: 'choices' }, ...boxes), form];
}
