'use strict';

const { differencesOf } = require('./set-deltas');
const { termsOf } = require('./terms');

/** @typedef {import('./terms').Content} Content */
/** @typedef {import('./terms').Offer} Offer */
/** @template T @typedef {{ before: T | null, after: T | null } | null} Change from the load to now; null: there is none */
/** @typedef {{ id: number, content: Change<Content>, offer: Change<Offer> }} Row of a product that was written since the load */
/**
 * @typedef {object} Touched product: it differs from the load
 * @property {string[]} terms in which it does
 * @property {string | null} [name] as it is now; missing: as the load has it
 */
/**
 * @typedef {object} Write of a product
 * @property {number} ordinal @property {number} id @property {boolean} isThere
 * @property {Move} name
 * @property {string[]} before terms in which it differed before
 * @property {Map<string, number>} differences from the load, as differencesOf() makes them
 * @property {Omit<Touched, 'terms'>} touched
 */
/** @typedef {{ from: string | null, to: string | null }} Move null: not there */

/**
 * @param {Row} row
 * @param {{ ordinal: number, wasThere: boolean, touched: Touched | undefined, fields: import('./terms').Fields }} known of the product, and what the load declares
 * @returns {Write}
 */
function writeOf({ id, content, offer }, { ordinal, wasThere, touched, fields }) {
  const isThere = content === null || content.after !== null;
  const loaded = termsOf(content?.before ?? null, offer?.before ?? null, fields);
  const now = termsOf(content?.after ?? null, isThere ? (offer?.after ?? null) : null, fields);
  const name = content && { loaded: content.before?.name ?? null, to: content.after?.name ?? null };
  return {
    id,
    ordinal,
    isThere,
    name: moveOf(name, wasThere, touched?.name),
    before: touched?.terms ?? [],
    differences: differencesOf(loaded, now),
    touched: { name: name ? otherThanLoaded(name) : touched?.name },
  };
}

/** @param {{ loaded: string | null, to: string | null }} change @returns {string | null | undefined} */
const otherThanLoaded = ({ loaded, to }) => (to === loaded ? undefined : to);

/**
 * The places of a product in an order, before and after; a product that is not in it has none.
 * @param {{ loaded: string | null, to: string | null } | null} change @param {boolean} wasThere @param {string | null} [touched]
 * @returns {Move}
 */
function moveOf(change, wasThere, touched) {
  if (!change) return { from: null, to: null };
  return { from: wasThere ? (touched === undefined ? change.loaded : touched) : null, to: change.to };
}

exports.writeOf = writeOf;
