'use strict';

/** Codes by their digits behind the point, by ISO 4217; all others have two. Intl does not know them: it says 0 for IQD, which has three. */
const CODES = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};
/** @type {Map<string, number>} */
const DIGITS = new Map();
for (const [digits, codes] of Object.entries(CODES))
  for (const code of codes.split(' ')) DIGITS.set(code, Number(digits));

/** @param {string} currency */
const digitsOf = (currency) => DIGITS.get(currency) ?? 2;

/**
 * A price in minor units, rounded half up. Numbers would not do: 1.005 × 100 is 100.49999999999999.
 * @param {string} price decimal, from 0 @param {string} currency @returns {number} at most what JSON holds exactly
 */
function minorUnits(price, currency) {
  const [whole, fraction = ''] = price.split('.');
  const digits = digitsOf(currency);
  const kept = BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'));
  const amount = kept + (fraction.charAt(digits) >= '5' ? 1n : 0n);
  return Number(amount > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : amount);
}

/** An amount as a decimal price. @param {number} amount in minor units @param {string} currency @returns {string} */
function priceOf(amount, currency) {
  const digits = digitsOf(currency);
  const text = String(amount).padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** The lowest price that is shown as an amount. @param {number} amount in minor units @param {string} currency @returns {string} */
function lowestPrice(amount, currency) {
  return amount === 0 ? '0' : `${priceOf(amount - 1, currency)}${pointOf(currency)}5`;
}

/** The highest one; prices have no more than 18 digits behind the point. @param {number} amount @param {string} currency @returns {string} */
const highestPrice = (amount, currency) =>
  `${priceOf(amount, currency)}${pointOf(currency)}4${'9'.repeat(17 - digitsOf(currency))}`;

/** @param {string} currency */
const pointOf = (currency) => (digitsOf(currency) === 0 ? '.' : '');

exports.minorUnits = minorUnits;
exports.priceOf = priceOf;
exports.lowestPrice = lowestPrice;
exports.highestPrice = highestPrice;
