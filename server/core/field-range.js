'use strict';

const { compareDecimals, compareTexts, plainDecimal } = require('./decimals');
const { malformedParameter } = require('./errors');
const { shown } = require('./refusals');

/** Values of a declared field as searches compare them: decimals, and moments of UTC as texts in the order of time. */

/** @typedef {'text' | 'number' | 'boolean' | 'date' | 'list'} FieldType */
/**
 * @typedef {object} Field as fields.json declares it (db/fields.schema.json)
 * @property {string} name @property {'products' | 'styles' | 'skus'} of @property {FieldType} type
 * @property {boolean} facet @property {boolean} sort @property {'name' | 'attribute' | 'text' | null} search
 */
/** @typedef {{ min: string | null, max: string | null }} Range both included; null: no bound */

const NUMBER = /^-?[0-9]{1,20}(?:\.[0-9]{1,18})?$/;
const DATE =
  /^(\d{4})-(\d\d)-(\d\d)(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))?)?$/;
const DAY_LENGTH = 10;
/** A scale has no other years. An offset may lead beyond them. */
const [EARLIEST_MS, LATEST_MS] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59Z')];
const FORMS = { number: '12.5', date: '2026-01-31 or 2026-01-31T09:30:00Z' };

/** Searches order such a field, and find ranges of it. @param {Pick<Field, 'type' | 'facet' | 'sort'>} field */
const hasScale = ({ type, facet, sort }) => (type === 'number' || type === 'date') && (facet || sort);

/** Its values in a scale. @param {Field} field @returns {(a: string, b: string) => number} */
const compareOf = ({ type }) => (type === 'number' ? compareDecimals : compareTexts);

/** The form that a scale has of a value (db/search/field_values.sql). @param {FieldType} type number or date @param {string} text @returns {string | null} null: it is no such value */
function canonical(type, text) {
  if (type === 'number') return NUMBER.test(text) ? plainDecimal(text) : null;
  return moment(text);
}

/** @param {string} text @returns {string | null} without Z; midnight is the day alone, which comes before all other times of the day */
function moment(text) {
  const [, ...parts] = DATE.exec(text) ?? [];
  if (parts.length === 0) return null;
  const [year, month, day, hour, minute, second, , , hours, minutes] = parts.map((part) => Number(part ?? 0));
  const [fraction = '', sign] = parts.slice(6);
  const midnight = new Date(0).setUTCFullYear(year, month - 1, day);
  if (year === 0 || new Date(midnight).getUTCDate() !== day || month < 1 || month > 12) return null;
  const offset = (sign === '-' ? -1 : 1) * (hours * 60 + minutes);
  const ms = midnight + ((hour * 60 + minute - offset) * 60 + second) * 1000;
  const whole = new Date(Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS)).toISOString().slice(0, 19);
  const exact = `${whole}.${fraction}`.replace(/\.0*$|(\.\d*?)0+$/, '$1');
  return exact.replace(/T00:00:00$/, '');
}

/**
 * A filter of a number or date: `100..500`, `..500`, `100..`, or one value. A bare day is its whole day.
 * @param {string} name of the parameter @param {FieldType} type number or date @param {string} text
 * @returns {Range}
 * @throws {import('./errors').Problem} 400
 */
function readRange(name, type, text) {
  const [first, last = first, ...more] = text.split('..');
  const [min, max] = [first, last].map((bound) => (bound === '' ? null : canonical(type, bound)));
  const isWrong = (first !== '' && min === null) || (last !== '' && max === null) || first + last === '';
  if (isWrong || more.length > 0) {
    const form = FORMS[type === 'number' ? 'number' : 'date'];
    throw malformedParameter(
      `${name} must be a ${type}, as ${form}, or a range of them, as 1..5, 1.. or ..5, and not ${shown(text)}.`,
    );
  }
  return { min, max: max !== null && type === 'date' && last.length === DAY_LENGTH ? endOfDay(max) : max };
}

/** A text behind all moments of a day. @param {string} day */
const endOfDay = (day) => `${day}U`;

/**
 * A value of a scale as a reply shows it, and as a filter takes it. Where it is the only moment of its day, a midnight is shown as a day.
 * @param {FieldType} type @param {string} value @param {string | undefined} next value of the scale
 */
function shownValue(type, value, next) {
  if (type !== 'date') return value;
  if (value.length > DAY_LENGTH) return `${value}Z`;
  return next?.startsWith(value) ? `${value}T00:00:00Z` : value;
}

exports.canonical = canonical;
exports.compareOf = compareOf;
exports.hasScale = hasScale;
exports.readRange = readRange;
exports.shownValue = shownValue;
