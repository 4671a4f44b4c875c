/*
 * Values as a reader sees them.
 */

/**
 * The catalog names no currency. Atelier front ends write dollars.
 * @param {string} price digits, which may be more than a number can hold
 */
export function money(price) {
  const [whole, cents = '00'] = price.split('.');
  return `$${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${/^0+$/.test(cents) ? '' : `.${cents}`}`;
}

/**
 * A price as people type it: a comma before one, two or more than three digits at the end is a decimal one, as the dot is. Groups of three
 * digits are thousands, because the page writes $1,234.
 * @param {string} text @returns {string | null} as the service reads it, '' for an empty one; null: it is none
 */
export function typedPrice(text) {
  const digits = text.replace(/[$€£\s]/g, '');
  const [grouped, other] = [/^[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/, /^[1-9]\d{0,2}(\.\d{3})+,\d+$/];
  const plain = grouped.test(digits)
    ? digits.replaceAll(',', '')
    : (other.test(digits) ? digits.replaceAll('.', '') : digits).replace(',', '.');
  return /^(\d{1,20}(\.\d{1,18})?)?$/.test(plain) ? plain : null;
}

/** @param {string} from @param {string} to prices */
export const priceRange = (from, to) => (from === to ? money(from) : `${money(from)} – ${money(to)}`);

const numbers = new Intl.NumberFormat('en');

/** @param {number} value */
export const number = (value) => numbers.format(value);

/** @param {number} value @param {string} one */
export const counted = (value, one) => `${number(value)} ${value === 1 ? one : `${one}s`}`;

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** @param {number} ms */
export const duration = (ms) =>
  ms < 10 ? `${ms.toFixed(1)} ms` : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

const SORTS = {
  relevance: 'Best match',
  id: 'Catalog order',
  newest: 'Newest',
  price: 'Price, low to high',
  '-price': 'Price, high to low',
  name: 'Name, A to Z',
  '-name': 'Name, Z to A',
};

/** The orders that make sense. @param {boolean} withText whether words are searched @returns {[sort: string, text: string][]} */
export const sorts = (withText) => Object.entries(SORTS).filter(([sort]) => withText || sort !== 'relevance');
