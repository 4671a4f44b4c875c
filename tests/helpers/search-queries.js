'use strict';

const { isOrdered } = require('./oracle-fields');
const { FIELDS, VALUES: OWN } = require('./search-fields');
const { CATEGORIES, FEATURES, PRICES, SIZES, VALUES, WORDS } = require('./search-products');

/** @typedef {import('../../server/search/answers/query').Query} Query */
/** @typedef {ReturnType<typeof import('./search-products').picking>} Random */

const SORTS = /** @type {const} */ ([null, 'relevance', 'id', 'price', '-price', 'name', '-name', 'newest']);

const OWN_SORTS = /** @type {const} */ ([
  'field.weight_g',
  '-field.weight_g',
  '-field.launched',
  'field.launched',
  '-field.rating',
]);

/** Values and ranges of a declared field. @param {string} name @param {Random} random @returns {string[]} */
function wantedOf(name, { chance, pick }) {
  const texts = OWN[name].flatMap((value) => (Array.isArray(value) ? value : [String(value)]));
  const bounds = isOrdered(`field.${name}`) ? texts : [];
  const range = () => `${chance(0.7) ? pick(bounds) : ''}..${pick(bounds)}`;
  return [...texts.map((text) => (bounds.length > 0 && chance(0.6) ? range() : text)), `${texts[0]}`];
}

/** A word as people type it: cut, misspelled, in other case. @param {Random} random */
function typed(random) {
  const word = random.pick(WORDS);
  if (random.chance(0.5)) return word;
  return random.chance(0.2) ? edited(edited(word, random), random) : edited(word, random);
}

/** @param {string} word @param {Random} random */
function edited(word, { below, pick }) {
  const at = below(word.length);
  const [before, after] = [word.slice(0, at), word.slice(at)];
  return pick([
    before || word,
    word.toUpperCase(),
    before + after.slice(1),
    `${before}e${after}`,
    `${before}${after[1] ?? ''}${after[0] ?? ''}${after.slice(2)}`,
    word.slice(0, 2),
    'unknownword',
  ]);
}

/** @param {Random} random @returns {Query} */
function randomQuery(random) {
  const { below, chance, pick, some } = random;
  /** @type {Record<string, string[]>} */
  const filters = {};
  const two = (/** @type {string[]} */ list) => [pick(list), ...(chance(0.4) ? [pick(list)] : [])];
  if (chance(0.25)) filters.category = two([...CATEGORIES, 'none such']);
  if (chance(0.25)) filters.size = two(SIZES);
  if (chance(0.2)) filters[`feature.${pick([...FEATURES, 'Nothing'])}`] = two(VALUES.map((value) => value ?? 'null'));
  const faceted = FIELDS.filter(({ facet }) => facet).map(({ name }) => name);
  for (const name of some(2, () => pick([...faceted, 'rating'])))
    filters[`field.${name}`] = two(wantedOf(name, random));
  const words = chance(0.75) ? some(4, () => (chance(0.1) ? '-' : '') + typed(random)) : [];
  const facets = [
    'category',
    'price',
    'size',
    'on_sale',
    'in_stock',
    'feature',
    `feature.${pick(FEATURES)}`,
    'feature.Nothing',
    ...some(3, () => `field.${pick(faceted)}`),
  ];
  return {
    q: words.join(pick([' ', '  ', '\u3000'])).replace(/[\ud800-\udbff]$/, ''),
    filters,
    onSale: chance(0.1),
    inStock: chance(0.2),
    minPrice: chance(0.15) ? pick([...PRICES, '10.001', '-1']) : null,
    maxPrice: chance(0.15) ? pick([...PRICES, '99.999', '100']) : null,
    sort: chance(0.25) ? pick([...OWN_SORTS]) : pick([...SORTS]),
    count: pick([24, 0, 1, 3, 7, 100, 1000]),
    page: 1 + (chance(0.4) ? below(8) : 0),
    after: null,
    facets: chance(0.5) ? facets.filter(() => chance(0.5)) : [],
    facetValues: pick([20, 1, 2, 500]),
  };
}

module.exports = { randomQuery };
