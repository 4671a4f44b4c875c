'use strict';

const { FIELDS, textsOf } = require('./search-fields');

/** Declared numbers and dates as searches must find them, by arithmetic with whole numbers: units of 10^-18, and nanoseconds. */

/** @typedef {import('./search-products').Product} Product */

const DAY = 86_400_000_000_000n;
const DECIMALS = 18;
const isDay = (/** @type {string} */ text) => /^\d{4}-\d\d-\d\d$/.test(text);

/** @param {string} text @returns {bigint} in 10^-18 */
function unitsOf(text) {
  const [whole, fraction = ''] = text.replace('-', '').split('.');
  const units = BigInt(whole + fraction.padEnd(DECIMALS, '0'));
  return text.startsWith('-') ? -units : units;
}

/** @param {string} text @returns {bigint} nanoseconds since 1970 */
function nanosecondsOf(text) {
  const [, fraction = ''] = /\.(\d+)/.exec(text) ?? [];
  const plain = text.replace(/\.\d+/, '');
  const zoned = isDay(plain) ? `${plain}T00:00:00Z` : /(Z|[+-]\d\d:\d\d)$/.test(plain) ? plain : `${plain}Z`;
  return BigInt(Date.parse(zoned)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/** @param {string} parameter */
const fieldOf = (parameter) => FIELDS.find(({ name }) => `field.${name}` === parameter);
/** @param {string} parameter @returns {boolean} whether it is a number or date */
const isOrdered = (parameter) => ['number', 'date'].includes(String(fieldOf(parameter)?.type));
/** @param {string} parameter @param {string} text */
const placeOf = (parameter, text) => (fieldOf(parameter)?.type === 'number' ? unitsOf : nanosecondsOf)(text);

/** The different places of a product, ascending. @param {Product} product @param {string} parameter @returns {bigint[]} */
const placesOf = (product, parameter) =>
  ascending(textsOf(product, parameter.slice('field.'.length)).map((text) => placeOf(parameter, text)));

/** @param {bigint[]} places @returns {bigint[]} each once */
const ascending = (places) => [...new Set(places)].sort((a, b) => (a < b ? -1 : 1));

/** @param {Product} product @param {string} parameter @param {string[]} wanted values and ranges */
function isWithin(product, parameter, wanted) {
  const places = placesOf(product, parameter);
  return wanted.some((text) => {
    const [first, last = first] = text.split('..');
    const from = first === '' ? null : placeOf(parameter, first);
    const to = last === '' ? null : placeOf(parameter, last) + (isDay(last) ? DAY - 1n : 0n);
    return places.some((place) => (from === null || place >= from) && (to === null || place <= to));
  });
}

/** @param {string} parameter @param {bigint} place @param {bigint[]} all places of the catalog @returns {string} */
function shownAt(parameter, place, all) {
  if (fieldOf(parameter)?.type === 'number') {
    const digits = String(place < 0n ? -place : place).padStart(DECIMALS + 1, '0');
    const text = `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`.replace(/\.?0+$/, '');
    return (place < 0n ? '-' : '') + text;
  }
  const fraction = ((place % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const text = new Date(Number((place - fraction) / 1_000_000n)).toISOString().slice(0, 19);
  const isAlone = !all.some((other) => other > place && other < place + DAY);
  if (text.endsWith('T00:00:00') && fraction === 0n && isAlone) return text.slice(0, 10);
  const digits = String(fraction).padStart(9, '0').replace(/0+$/, '');
  return `${text}${digits && `.${digits}`}Z`;
}

/**
 * The facet of a number or date: tenths of the catalog by value, where equal values are together.
 * @param {Product[]} catalog @param {Product[]} products that are counted @param {string} parameter
 */
function orderedFacet(catalog, products, parameter) {
  const ranks = catalog.flatMap((product) => placesOf(product, parameter)).sort((a, b) => (a < b ? -1 : Number(a > b)));
  const starts = Array.from({ length: 10 }, (_, band) => ranks[Math.floor((band * ranks.length) / 10)]);
  const edges = ranks.length === 0 ? [] : ascending(starts);
  const shown = (/** @type {bigint} */ place) => shownAt(parameter, place, ranks);
  const bands = edges.map((from, band) => {
    const inBand = ranks.filter((place) => place >= from && (edges[band + 1] === undefined || place < edges[band + 1]));
    const to = /** @type {bigint} */ (inBand.at(-1));
    const has = (/** @type {Product} */ product) =>
      placesOf(product, parameter).some((place) => place >= from && place <= to);
    return { min: shown(from), max: shown(to), count: products.filter(has).length };
  });
  const own = ascending(products.flatMap((product) => placesOf(product, parameter)));
  const [min, max] = [own[0], own.at(-1)].map((place) => (place === undefined ? null : shown(place)));
  return { name: parameter, min, max, values: bands.filter(({ count }) => count > 0) };
}

module.exports = { isOrdered, isWithin, orderedFacet, placesOf };
