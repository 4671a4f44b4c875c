import { h } from '../shared/dom.js';
import { digitsOf, numberIn } from './exact-json.js';
import { objectPart, selectPart, textPart } from './parts.js';

/** @typedef {import('./parts.js').Part} Part @typedef {{ type: string[], pattern?: string }} Schema of a field */
/** @typedef {Record<'products' | 'styles' | 'skus', Record<string, Schema>>} Declared fields by name, in declared order */

/** @param {any} description of the API @returns {Declared} the fields of the load that is served */
export function declaredIn({ components: { schemas } }) {
  const { ProductFields, StyleFields, SkuFields } = schemas;
  const [products, styles, skus] = [ProductFields, StyleFields, SkuFields].map((each) => each?.properties ?? {});
  return { products, styles, skus };
}

/** A form leaves out what is empty, and so has no value. @param {string} text */
const unlessEmpty = (text) => (text === '' ? undefined : text);
/** More than a line of a form shows. */
const LONG = /\n|.{60}/;

/** @type {Record<string, (name: string, value: any) => Part>} */
const PARTS = {
  text: (name, value) => textPart(name, value, { value: unlessEmpty, ...(LONG.test(value ?? '') && { rows: 4 }) }),
  date: (name, value) =>
    textPart(name, value, { hint: '2026-01-31, or with a time: 2026-01-31T09:30:00Z', value: unlessEmpty }),
  number: (name, value) =>
    textPart(name, value, {
      keys: 'decimal',
      text: digitsOf,
      value: (text) => (text === '' ? undefined : numberIn(text.trim())),
    }),
  boolean: (name, value) =>
    selectPart(name, value, [
      ['None', undefined],
      ['Yes', true],
      ['No', false],
    ]),
  array: (name, value) =>
    textPart(name, value, {
      rows: 3,
      hint: 'One a line.',
      text: (list) => list.join('\n'),
      value: (text) => (text.trim() === '' ? undefined : text.split('\n')),
    }),
};

/** @param {Schema} schema */
const kindOf = ({ type: [type], pattern }) => (type === 'string' ? (pattern ? 'date' : 'text') : type);

/**
 * The shop's own fields of a row.
 * @param {Record<string, Schema>} declared @param {Record<string, any>} [fields] @param {'h2' | 'h4'} [level] of a heading above them
 * @returns {{ fields?: Part }} nothing where the load that is served declares none
 */
export function fieldsPart(declared, fields = {}, level) {
  const entries = Object.entries(declared);
  if (entries.length === 0) return {};
  const part = objectPart(
    Object.fromEntries(entries.map(([name, schema]) => [name, PARTS[kindOf(schema)](name, fields[name])])),
  );
  part.element.classList.add('own-fields');
  if (level) part.element.prepend(h(level, {}, 'Fields'));
  return { fields: part };
}
