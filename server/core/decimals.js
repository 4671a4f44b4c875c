'use strict';

const DECIMAL = /^(-?)0*(\d*)(?:\.(\d*?)0*)?$/;

/**
 * A decimal in parts, without zeros around it. A number would not do: a price may have more digits than it holds.
 * @param {string} text as "140.00"
 * @returns {{ sign: number, whole: string, fraction: string }}
 */
function partsOf(text) {
  const [, minus = '', whole = '', fraction = ''] = DECIMAL.exec(text) ?? [];
  const sign = whole + fraction === '' ? 0 : minus ? -1 : 1;
  return { sign, whole, fraction };
}

/** One form for all that are equal. @param {string} text a decimal @returns {string} */
function plainDecimal(text) {
  const { sign, whole, fraction } = partsOf(text);
  return `${sign < 0 ? '-' : ''}${whole || '0'}${fraction && `.${fraction}`}`;
}

/** Which of two decimals is larger, exactly. @param {string} a @param {string} b @returns {number} below, above or 0, as for a sort */
function compareDecimals(a, b) {
  const [x, y] = [partsOf(a), partsOf(b)];
  if (x.sign !== y.sign) return x.sign - y.sign;
  const byWhole = x.whole.length - y.whole.length || compareTexts(x.whole, y.whole);
  return x.sign * (byWhole || compareTexts(x.fraction, y.fraction));
}

/** @param {string} a @param {string} b @returns {number} */
const compareTexts = (a, b) => (a < b ? -1 : Number(a > b));

exports.plainDecimal = plainDecimal;
exports.compareDecimals = compareDecimals;
exports.compareTexts = compareTexts;
