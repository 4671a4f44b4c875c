import { titleOf } from './address.js';

/*
 * Values as a reader sees them.
 */

/** @typedef {import('./field-menu.js').Fields} Fields */

/** @type {Intl.NumberFormat | null} */
let inCurrency = null;

/** Prices are in this currency from now on. @param {string} [code] ISO 4217; none: the shop names none */
export function useCurrency(code) {
  const style = /** @type {const} */ ({ style: 'currency', trailingZeroDisplay: 'stripIfInteger' });
  inCurrency = code ? new Intl.NumberFormat('en', { ...style, currency: code }) : null;
}

/**
 * A price as the currency writes it. Where the shop names none, Atelier front ends write dollars.
 * @param {string} price digits, which may be more than a number can hold
 */
export function money(price) {
  if (inCurrency) return inCurrency.format(/** @type {Intl.StringNumericLiteral} */ (price));
  const [whole, cents = '00'] = price.split('.');
  return `$${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${/^0+$/.test(cents) ? '' : `.${cents}`}`;
}

/**
 * A price as people type it: a comma before one, two or more than three digits at the end is a decimal one, as the dot is. Groups of three
 * digits are thousands, because the page writes $1,234.
 * @param {string} text @returns {string | null} as the service reads it, '' for an empty one; null: it is none
 */
export function typedPrice(text) {
  const digits = text.replace(/[\p{Sc}\s]/gu, '');
  const [grouped, other] = [/^[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/, /^[1-9]\d{0,2}(\.\d{3})+,\d+$/];
  const plain = grouped.test(digits)
    ? digits.replaceAll(',', '')
    : (other.test(digits) ? digits.replaceAll('.', '') : digits).replace(',', '.');
  return /^(\d{1,20}(\.\d{1,18})?)?$/.test(plain) ? plain : null;
}

/**
 * A number as people type it, which may be below zero.
 * @param {string} text @returns {string | null} as of a price
 */
export function typedNumber(text) {
  const [, sign, digits] = /** @type {RegExpExecArray} */ (/^\s*([-−]?)(.*)$/s.exec(text));
  const plain = typedPrice(digits);
  return plain === '' && sign ? null : plain && (sign ? `-${plain}` : plain);
}

/** @param {string | null} from @param {string | null} to */
export const priceRange = (from, to) => range(from, to, money);

/** A range; null or empty: no bound. @param {string | null} from @param {string | null} to @param {(value: string) => string} shown */
export function range(from, to, shown) {
  if (!from) return `Up to ${shown(to ?? '')}`;
  if (!to) return `From ${shown(from)}`;
  return shown(from) === shown(to) ? shown(from) : `${shown(from)} – ${shown(to)}`;
}

const MOMENT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)\S*?(Z|[+-]\d\d:\d\d)?$/;

/** A day or time of ISO 8601, to the minute; another text as it is. @param {string} text */
export const moment = (text) =>
  text.replace(MOMENT, (_, day, time, zone = 'Z') => `${day} ${time} ${zone === 'Z' ? 'UTC' : zone}`);

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

const OWN_SORTS = { number: ['low to high', 'high to low'], date: ['oldest first', 'newest first'] };

/** The orders that make sense. @param {boolean} withText whether words are searched @param {Fields} fields @returns {[sort: string, text: string][]} */
export function sorts(withText, fields) {
  const own = [...fields.values()].filter(({ sort }) => sort);
  return [
    ...Object.entries(SORTS).filter(([sort]) => withText || sort !== 'relevance'),
    ...own.flatMap(({ name, type }) => {
      const [up, down] = OWN_SORTS[type === 'date' ? 'date' : 'number'];
      return /** @type {[string, string][]} */ ([
        [name, `${titleOf(name)}, ${up}`],
        [`-${name}`, `${titleOf(name)}, ${down}`],
      ]);
    }),
  ];
}
