import { changed, titleOf, toggled } from './address.js';
import { box } from './choice-box.js';
import { button, h } from '../shared/dom.js';
import { filterText } from './field-values.js';
import { fieldRanges, priceRanges, rangeGroup } from './range-group.js';
import { number } from './written.js';

/** @typedef {import('../../client/catalog.js').Facet} Facet @typedef {import('../../client/catalog.js').ValueFacet} ValueFacet */
/** @typedef {import('../../client/catalog.js').PriceFacet} PriceFacet @typedef {import('../../client/catalog.js').RangeFacet} RangeFacet */
/** @typedef {(query: URLSearchParams) => URLSearchParams} Alter */
/** @typedef {(alter: Alter) => void} Change shows the list of the address, altered; focus and place on the page stay */
/** @typedef {{ query: URLSearchParams, fields: import('./field-menu.js').Fields, change: Change }} Shown what a list is drawn of, beside its reply */

const MAX_VALUES = '500';
/** Further features and fields are closed until the reader opens them. */
const [OPEN_FEATURES, OPEN_FIELDS] = [1, 3];

/** Groups that the reader has opened or closed, by name: they stay so in the next list. @type {Map<string, boolean>} */
const opened = new Map();

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

/** @param {ValueFacet} facet @param {import('../../client/catalog.js').SearchField | undefined} field @param {URLSearchParams} query @param {Change} change */
function valuesGroup({ name, values, more }, field, query, change) {
  const boxes = values.map(({ value, count, selected }) =>
    box({ id: `${name}=${value}`, text: filterText(field, value), count, selected }, () =>
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

/** On sale, in stock: one box each, which has no other values. @param {ValueFacet} facet @param {Change} change */
const flagBoxes = ({ name, values }, change) =>
  values.map(({ value, count, selected }) =>
    box({ id: name, text: titleOf(name), count, selected }, () => change((latest) => toggled(latest, name, value))),
  );

/** @param {Facet} facet @returns {facet is PriceFacet} */
const isPrice = (facet) => facet.name === 'price';

/** @param {Facet} facet @returns {facet is ValueFacet} */
const isFlag = (facet) => facet.name === 'on_sale' || facet.name === 'in_stock';

/** @param {Facet} facet @returns {facet is RangeFacet} */
const isRange = (facet) => !isPrice(facet) && !('more' in facet);

/** @param {Facet} facet @param {Shown} shown @returns {(Node | false)[]} */
function partsOf(facet, { query, change, fields }) {
  if (isPrice(facet)) return rangeGroup(priceRanges(facet, query), change);
  const field = fields.get(facet.name);
  if (isRange(facet)) return rangeGroup(fieldRanges(facet, field?.type === 'date' ? 'date' : 'number', query), change);
  return valuesGroup(facet, field, query, change);
}

/** Built-in facets come first, then fields as they are declared, then features. @param {Facet[]} facets of a reply @param {Shown} shown */
export function filterPanel(facets, shown) {
  const boxes = facets.filter(isFlag).flatMap((facet) => flagBoxes(facet, shown.change));
  const listed = facets.filter((facet) => !isFlag(facet) && facet.values.length > 0);
  const features = listed.filter(({ name }) => name.startsWith('feature.'));
  const own = [...shown.fields.keys()].flatMap((field) => listed.filter(({ name }) => name === field));
  const builtIn = listed.filter((facet) => !features.includes(facet) && !own.includes(facet));
  const closed = [...own.slice(OPEN_FIELDS), ...features.slice(OPEN_FEATURES)];
  const groups = [...builtIn, ...own, ...features].map((facet) => {
    const isOpen = !closed.includes(facet) || shown.query.has(facet.name);
    return group(facet.name, titleOf(facet.name), isOpen, ...partsOf(facet, shown));
  });
  return [boxes.length > 0 && h('div', { class: 'choices flags' }, ...boxes), ...groups];
}
