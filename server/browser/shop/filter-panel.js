import { changed, titleOf, toggled } from './address.js';
import { withoutPrice } from './chips.js';
import { button, h } from '../shared/dom.js';
import { money, number, priceRange, typedPrice } from './written.js';

/** @typedef {import('../../client/catalog.js').Facet} Facet @typedef {import('../../client/catalog.js').ValueFacet} ValueFacet */
/** @typedef {import('../../client/catalog.js').PriceFacet} PriceFacet */
/** @typedef {(query: URLSearchParams) => URLSearchParams} Alter */
/** @typedef {(alter: Alter) => void} Change shows the list of the address, altered; focus and place on the page stay */

const MAX_VALUES = '500';
/** Features beyond these are closed until the reader opens them. */
const OPEN_FEATURES = 1;

/** Groups that the reader has opened or closed, by name: they stay so in the next list. @type {Map<string, boolean>} */
const opened = new Map();

/**
 * A value with its count. A box and not a link, because several can be chosen.
 * @param {object} choice
 * @param {string} choice.id the same in the next list, so that it keeps the focus
 * @param {string} choice.text @param {number} choice.count @param {boolean} choice.selected
 * @param {(isChosen: boolean) => void} choose
 */
function box({ id, text, count, selected }, choose) {
  const input = h('input', { type: 'checkbox', id, checked: selected });
  input.addEventListener('change', () => choose(input.checked));
  return h(
    'label',
    { class: count === 0 ? 'choice none' : 'choice', for: id },
    input,
    h('span', { dir: 'auto' }, text),
    h('span', { class: 'count' }, number(count)),
  );
}

/**
 * A group that can be closed.
 * @param {string} name @param {string} title @param {boolean} isOpen at first
 * @param {...import('../shared/dom.js').Child} children
 */
function group(name, title, isOpen, ...children) {
  const details = h(
    'details',
    { class: 'group', open: opened.get(name) ?? isOpen },
    h('summary', {}, h('bdi', {}, title)),
  );
  details.append(
    h(
      'div',
      { class: 'group-body', role: 'group', 'aria-label': title },
      ...children.filter((child) => child instanceof Node),
    ),
  );
  details.addEventListener('toggle', () => opened.set(name, details.open));
  return details;
}

/** @param {ValueFacet} facet @param {URLSearchParams} query @param {Change} change */
function valuesGroup({ name, values, more }, query, change) {
  const boxes = values.map(({ value, count, selected }) =>
    box({ id: `${name}=${value}`, text: value, count, selected }, () =>
      change((latest) => toggled(latest, name, value)),
    ),
  );
  const all = (/** @type {URLSearchParams} */ latest) =>
    changed(latest, (next) => next.set('facet_values', MAX_VALUES));
  const rest =
    more > 0 &&
    !query.has('facet_values') &&
    button({ id: `${name}-more`, class: 'quiet' }, () => change(all), `Show ${number(more)} more`);
  return [h('div', { class: name === 'size' ? 'sizes' : 'choices' }, ...boxes), rest];
}

/** @param {URLSearchParams} query @param {Iterable<[name: string, value: FormDataEntryValue]>} bounds instead of its own; '': none */
function withPrices(query, bounds) {
  const next = withoutPrice(query);
  for (const [name, value] of bounds) if (value !== '') next.set(name, String(value));
  return next;
}

/** @param {PriceFacet} facet @param {URLSearchParams} query @param {Change} change */
function bandBoxes({ values }, query, change) {
  const [from, to] = ['min_price', 'max_price'].map((name) => query.get(name));
  return values.map(({ min_price: min, max_price: max, count }) => {
    const selected = min === from && max === to;
    const band = { min_price: min, max_price: max };
    return box({ id: `price=${min}`, text: priceRange(min, max), count, selected }, (isChosen) =>
      change((latest) => withPrices(latest, isChosen ? Object.entries(band) : [])),
    );
  });
}

/** @param {PriceFacet} facet @param {URLSearchParams} query @param {Change} change */
function priceGroup(facet, query, change) {
  const field = (
    /** @type {string} */ name,
    /** @type {string} */ label,
    /** @type {string | null | undefined} */ bound,
  ) => {
    const attributes = { id: name, name, type: 'text', inputmode: 'decimal', 'aria-label': label };
    const input = h('input', { ...attributes, value: query.get(name), placeholder: bound && money(bound) });
    const isPrice = () => typedPrice(input.value) !== null;
    input.addEventListener('input', () => input.setCustomValidity(isPrice() ? '' : 'A price in digits, as 49.90'));
    return input;
  };
  const form = h(
    'form',
    { class: 'price-form', action: './' },
    field('min_price', 'Lowest price', facet.min),
    h('span', {}, 'to'),
    field('max_price', 'Highest price', facet.max),
    h('button', { id: 'price-apply' }, 'Apply'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const given = [...new FormData(form)].map(([name, text]) => [name, typedPrice(String(text)) ?? '']);
    change((latest) => withPrices(latest, /** @type {[string, string][]} */ (given)));
  });
  return [h('div', { class: 'choices' }, ...bandBoxes(facet, query, change)), form];
}

/** On sale, in stock: one box each, which has no other values. @param {ValueFacet} facet @param {Change} change */
const flagBoxes = ({ name, values }, change) =>
  values.map(({ value, count, selected }) =>
    box({ id: name, text: titleOf(name), count, selected }, () => change((latest) => toggled(latest, name, value))),
  );

/** @param {Facet} facet @returns {facet is PriceFacet} */
const isPrice = (facet) => facet.name === 'price';

/** @param {Facet} facet @returns {facet is ValueFacet} */
const isFlag = (facet) => facet.name === 'on_sale' || facet.name === 'in_stock';

/** @param {Facet[]} facets of a reply @param {URLSearchParams} query @param {Change} change */
export function filterPanel(facets, query, change) {
  const boxes = facets.filter(isFlag).flatMap((facet) => flagBoxes(facet, change));
  const shown = facets.filter((facet) => !isFlag(facet) && facet.values.length > 0);
  const closed = shown.filter(({ name }) => name.startsWith('feature.')).slice(OPEN_FEATURES);
  const groups = shown.map((facet) => {
    const isOpen = !closed.includes(facet) || query.has(facet.name);
    const parts = isPrice(facet) ? priceGroup(facet, query, change) : valuesGroup(facet, query, change);
    return group(facet.name, titleOf(facet.name), isOpen, ...parts);
  });
  return [boxes.length > 0 && h('div', { class: 'choices flags' }, ...boxes), ...groups];
}
