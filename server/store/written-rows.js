'use strict';

const { stylesIn } = require('./stored-styles');

/** @typedef {import('../internals/pg/statement').Row} Row */
/** @typedef {{ name: string, slogan: string, description: string, category: string, features: { feature: string, value: string | null }[], styles: { name: string, sizes: string[] }[] }} Content of a product */
/** @typedef {{ price: string, on_sale: boolean, in_stock: boolean, sizes: string[] }} Offer of a card */
/** @template T @typedef {{ before: T | null, after: T | null } | null} Change since the load; null: there is none */
/** @typedef {{ loadId: number | null, era: number, seq: number, since: number[], rows: WrittenRow[] }} Written */
/** @typedef {{ id: number, content: Change<Content>, offer: Change<Offer> }} WrittenRow */
/** @typedef {Omit<Content, 'styles'> & { styles: import('./stored-styles').StylesReply }} Replies */

/** @param {Row} row of written.sql @returns {Written} */
function toWritten([loadId, era, seq, since, rows]) {
  const number = (/** @type {Buffer | null} */ field) => Number(String(field));
  return {
    loadId: loadId && number(loadId),
    era: number(era),
    seq: number(seq),
    since: JSON.parse(String(since)),
    rows: JSON.parse(String(rows)).map(toRow),
  };
}

/** @param {{ id: number, content: Change<Replies>, offer: Change<Offer> }} row @returns {WrittenRow} */
const toRow = ({ id, content, offer }) => ({
  id,
  content: content && { before: toContent(content.before), after: toContent(content.after) },
  offer,
});

/** @param {Replies | null} replies @returns {Content | null} */
function toContent(replies) {
  if (!replies) return null;
  const { name, slogan, description, category, features, styles } = replies;
  return {
    name,
    slogan,
    description,
    category,
    features,
    styles: stylesIn(styles).map((style) => ({
      name: style.name,
      sizes: Object.values(style.skus).map(({ size }) => size),
    })),
  };
}

exports.toWritten = toWritten;
