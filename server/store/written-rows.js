'use strict';

const { stylesIn } = require('./stored-styles');

/** @typedef {import('../internals/pg/statement').Row} Row */
/** @typedef {string | number | boolean | string[]} FieldValue a decimal is a text, as no number holds all of them */
/** @typedef {Record<string, FieldValue>} Fields that the load declares */
/** @typedef {{ name: string, slogan: string, description: string, category: string, features: { feature: string, value: string | null }[], styles: { name: string, sizes: string[] }[], fields: [name: string, value: FieldValue][] }} Content of a product; `fields`: its own, and those of its styles and skus */
/** @typedef {{ price: string, on_sale: boolean, in_stock: boolean, sizes: string[] }} Offer of a card */
/** @template T @typedef {{ before: T | null, after: T | null } | null} Change since the load; null: there is none */
/** @typedef {{ loadId: number | null, era: number, seq: number, since: number[], rows: WrittenRow[] }} Written */
/** @typedef {{ id: number, content: Change<Content>, offer: Change<Offer> }} WrittenRow */
/** @typedef {{ loadId: number | null, era: number, seq: number, ids: number[] }} Gone products, at a commit */
/** @typedef {Omit<Content, 'styles' | 'fields'> & { styles: import('./stored-styles').StylesReply, fields?: Fields }} Replies */

/** @param {Buffer | null} field */
const number = (field) => Number(String(field));

/** @param {Row} row of written.sql @returns {Written} */
function toWritten([loadId, era, seq, since, rows]) {
  return {
    loadId: loadId && number(loadId),
    era: number(era),
    seq: number(seq),
    since: JSON.parse(String(since)),
    rows: JSON.parse(withExactNumbers(String(rows))).map(toRow),
  };
}

/** @param {Row} row of search_gone.sql @returns {Gone} */
const toGone = ([loadId, era, seq, ids]) => ({
  loadId: loadId && number(loadId),
  era: number(era),
  seq: number(seq),
  ids: JSON.parse(String(ids)),
});

const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?/g;
const MAX_DIGITS = 15;

/** JSON in which numbers that a double may not hold are texts. Only fields have such numbers. @param {string} json */
const withExactNumbers = (json) =>
  json.includes('"fields":{')
    ? json.replace(TEXT_OR_NUMBER, (found) =>
        found[0] !== '"' && (found.length > MAX_DIGITS || found.includes('.')) ? `"${found}"` : found,
      )
    : json;

/** @param {{ id: number, content: Change<Replies>, offer: Change<Offer> }} row @returns {WrittenRow} */
const toRow = ({ id, content, offer }) => ({
  id,
  content: content && { before: toContent(content.before), after: toContent(content.after) },
  offer,
});

/** @param {Replies | null} replies @returns {Content | null} */
function toContent(replies) {
  if (!replies) return null;
  const { name, slogan, description, category, features, styles: reply, fields } = replies;
  const styles = stylesIn(reply);
  return {
    name,
    slogan,
    description,
    category,
    features,
    styles: styles.map((style) => ({
      name: style.name,
      sizes: Object.values(style.skus).map(({ size }) => size),
    })),
    fields: [
      fields,
      ...styles.flatMap((style) => [style.fields, ...Object.values(style.skus).map((sku) => sku.fields)]),
    ].flatMap((each) => Object.entries(each ?? {})),
  };
}

exports.toGone = toGone;
exports.toWritten = toWritten;
