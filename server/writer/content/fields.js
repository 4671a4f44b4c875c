'use strict';

const { nearest } = require('../../core/nearest');
const { decimalIn, exactJson, numberOf } = require('./exact');
const { token } = require('./paths');

/** @typedef {import('../../catalog/declarations').Field} Field @typedef {import('../../catalog/declarations').Declaration} Declaration */
/** @typedef {import('../errors').BodyError} BodyError @typedef {keyof Declaration} Owner a table whose rows may have fields */
/** @typedef {Record<string, string | number | boolean | string[]>} Fields numbers as exact.js has them */
/** @typedef {{ value?: Fields[string], wrong?: string }} Read no value: the row does not have the field */

/** The fields of a row as JSON, as a load limits them (etl/rows/declared.py). */
const MAX_BYTES = 16 * 1024;
/** A load without fields declares this. @type {Declaration} */
const NONE = { products: new Map(), styles: new Map(), skus: new Map() };

/** PostgreSQL stores neither. */
const isText = (/** @type {unknown} */ text) => typeof text === 'string' && text.isWellFormed() && !text.includes('\0');
const NO_TEXT = 'has a NUL or half of a surrogate pair, which no text may have.';
/** A day, or a time with its zone or without. */
const DATE =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,9})?)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?)?$';

/** @param {string} text @returns {boolean} */
function isDate(text) {
  const day = text.slice(0, 10);
  const time = new RegExp(DATE).test(text) && !day.startsWith('0000') ? Date.parse(day) : NaN;
  // February 30 is read as March 2.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** Values by type; none is null. The rules are those of the loader (etl/rows/declared.py). @type {Record<Field['type'], (value: any, field: Field) => Read>} */
const READ = {
  text(value) {
    if (typeof value !== 'string') return { wrong: 'must be a text, or null for none.' };
    return isText(value) ? { value: value || undefined } : { wrong: NO_TEXT };
  },
  number(value) {
    const decimal = decimalIn(value);
    if (decimal !== null) return { value: numberOf(decimal) };
    return {
      wrong: 'must be a number with at most 20 digits before the point and 18 behind it, or null for none.',
    };
  },
  boolean: (value) => (typeof value === 'boolean' ? { value } : { wrong: 'must be true or false, or null for none.' }),
  date: (value) =>
    typeof value === 'string' && isDate(value)
      ? { value }
      : { wrong: 'must be a date such as "2026-01-31" or "2026-01-31T09:30:00Z", or null for none.' },
  list(value, { separator }) {
    if (!Array.isArray(value) || !value.every((each) => typeof each === 'string'))
      return { wrong: 'must be a list of texts, or null for none.' };
    if (!value.every(isText)) return { wrong: NO_TEXT };
    const kept = new Set(value.map((each) => each.replace(/^[ \t\r\n]+/, '').replace(/(?<![ \t\r\n])[ \t\r\n]+$/, '')));
    kept.delete('');
    const parted = [...kept].find((each) => each.includes(/** @type {string} */ (separator)));
    if (parted !== undefined) return { wrong: `has ${JSON.stringify(separator)} in a text, which separates texts.` };
    return { value: kept.size > 0 ? [...kept] : undefined };
  },
};

/** @param {unknown} value @param {Field} field @returns {Read} */
const read = (value, field) => (value === null || value === undefined ? {} : READ[field.type](value, field));

/**
 * @param {Record<string, any> | undefined} given @param {Map<string, Field>} [declared] by the load that is served
 * @returns {Fields | undefined} in declared order, then what another load has declared; undefined: there is none, and none is declared
 */
function orderedFields(given, declared) {
  if (!declared) return given;
  /** @type {Fields} */
  const fields = {};
  for (const [name, field] of declared) {
    const { value, wrong } = read(given?.[name], field);
    if (value !== undefined || wrong) fields[name] = value ?? given?.[name];
  }
  for (const [name, value] of Object.entries(given ?? {}))
    if (!declared.has(name) && value !== null) fields[name] = value;
  return declared.size > 0 || Object.keys(fields).length > 0 ? fields : undefined;
}

/**
 * The rows of a product that may have fields.
 * @param {any} product or a patch of one
 * @returns {[owner: Owner, pointer: string, row: any][]}
 */
const ownersIn = (product) => [
  ['products', '', product],
  ...Object.entries(product.styles ?? {}).flatMap(([style, own]) => [
    /** @type {[Owner, string, any]} */ (['styles', `/styles/${style}`, own]),
    ...Object.entries(own?.skus ?? {}).map(
      ([sku, row]) => /** @type {[Owner, string, any]} */ (['skus', `/styles/${style}/skus/${sku}`, row]),
    ),
  ]),
];

/** @param {any} product that fits the schema, or the content of a revision @param {Declaration} declaration @returns {BodyError[]} */
function fieldErrors(product, declaration) {
  return ownersIn(product).flatMap(([owner, pointer, row]) => {
    const declared = declaration[owner];
    const given = row?.fields ?? {};
    const errors = Object.entries(given).flatMap(([name, value]) => {
      const field = declared.get(name);
      const wrong = field ? read(value, field).wrong : undeclared(name, owner, [...declared.keys()]);
      return wrong ? [{ pointer: `${pointer}/fields${token(name)}`, detail: wrong }] : [];
    });
    return errors.length > 0 ? errors : sizeError(`${pointer}/fields`, orderedFields(given, declared));
  });
}

/** @param {string} name @param {Owner} owner @param {string[]} names */
function undeclared(name, owner, names) {
  if (names.length === 0) return `is not declared: the load that is served has no fields of ${owner}.`;
  const meant = nearest(name, names);
  return `is not declared for ${owner}, only ${names.join(', ')}.${meant ? ` Did you mean "${meant}"?` : ''}`;
}

/** @param {string} pointer @param {Fields | undefined} fields @returns {BodyError[]} */
function sizeError(pointer, fields) {
  const bytes = Buffer.byteLength(exactJson(fields ?? {}));
  return bytes > MAX_BYTES ? [{ pointer, detail: `has ${bytes} bytes as JSON, more than ${MAX_BYTES}.` }] : [];
}

exports.DATE = DATE;
exports.NONE = NONE;
exports.NO_TEXT = NO_TEXT;
exports.fieldErrors = fieldErrors;
exports.isText = isText;
exports.orderedFields = orderedFields;
