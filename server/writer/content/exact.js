'use strict';

/*
 * Numbers of fields are exact decimals, which JSON.parse would round. A number that JavaScript would print with other digits is held as a
 * text of NUL and its digits: no other text may have a NUL. So contents stay plain values that are merged and compared as others are.
 */

const MARK = '\0';
/** As a load keeps (etl/rows/declared.py). */
const [MAX_WHOLE, MAX_PLACES] = [20, 18];
/** Texts and numbers of valid JSON. */
const LITERALS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const MARKED = /"\\u0000(-?[\d.]+)"/g;

/**
 * @param {string} literal a number of JSON
 * @returns {string | null} as PostgreSQL prints it, without zeros at its end; null: it is no number, or has more digits than are kept
 */
function decimalOf(literal) {
  const [, sign, whole, places = '', exponent = '0'] = NUMBER.exec(literal) ?? [];
  if (whole === undefined) return null;
  const digits = whole + places;
  const first = digits.search(/[1-9]/);
  if (first < 0) return '0';
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  const point = whole.length + Number(exponent);
  if (point - first > MAX_WHOLE || end - point > MAX_PLACES) return null;
  const kept = digits.slice(first, end);
  if (point <= first) return `${sign}0.${'0'.repeat(first - point)}${kept}`;
  if (point >= end) return sign + kept + '0'.repeat(point - end);
  return `${sign}${kept.slice(0, point - first)}.${kept.slice(point - first)}`;
}

/** @param {string} decimal @returns {number | string} */
const numberOf = (decimal) => (String(Number(decimal)) === decimal ? Number(decimal) : MARK + decimal);

/** @param {unknown} value a number as contents have it @returns {string | null} as decimalOf; null: it is none */
function decimalIn(value) {
  if (typeof value === 'number') return decimalOf(String(value));
  return typeof value === 'string' && value.startsWith(MARK) ? decimalOf(value.slice(MARK.length)) : null;
}

/** @param {string} text valid JSON @returns {any} with the digits of all numbers */
const parseExact = (text) =>
  JSON.parse(
    text.replace(LITERALS, (literal) =>
      literal.startsWith('"') || String(Number(literal)) === decimalOf(literal) ? literal : `"\\u0000${literal}"`,
    ),
  );

/** A stored text. Only fields have numbers that need it. @param {string} text JSON @returns {any} */
const parseStored = (text) => (text.includes('"fields":') ? parseExact(text) : JSON.parse(text));

/** @param {unknown} value of `parseExact` @returns {string} JSON */
const exactJson = (value) => JSON.stringify(value).replace(MARKED, '$1');

exports.decimalIn = decimalIn;
exports.exactJson = exactJson;
exports.numberOf = numberOf;
exports.parseExact = parseExact;
exports.parseStored = parseStored;
