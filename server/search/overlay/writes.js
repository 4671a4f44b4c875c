'use strict';

const { plainDecimal } = require('../prices');
const { termsOf } = require('./terms');

const NOTHING = new Int32Array(0);

/** @typedef {import('./terms').Content} Content */
/** @typedef {import('./terms').Offer} Offer */
/** @template T @typedef {{ before: T | null, after: T | null } | null} Change from the load to now; null: there is none */
/** @typedef {{ id: number, content: Change<Content>, offer: Change<Offer> }} Row of a product that was written since the load */
/**
 * @typedef {object} Touched product
 * @property {Int32Array} differences from the load
 * @property {string | null} [price] @property {string | null} [name] as they are now; missing: as the load has them
 */
/**
 * @typedef {{ position: number, id: number, isThere: boolean, price: Move, name: Move, before: Int32Array, touched: Touched }} Write of a
 *   product; `before`: its differences before it
 */
/** @typedef {{ from: string | null, to: string | null }} Move null: not there */

/**
 * @param {Row} row
 * @param {{ position: number, wasThere: boolean, touched: Touched | undefined, patches: import('./patches').Patches }} known of the product
 * @returns {Write}
 */
function writeOf({ id, content, offer }, { position, wasThere, touched, patches }) {
  const isThere = content === null || content.after !== null;
  const loaded = termsOf(content?.before ?? null, offer?.before ?? null);
  const now = termsOf(content?.after ?? null, offer?.after ?? null);
  const price = offer && {
    from: touched?.price ?? priceOf(offer.before),
    to: isThere ? priceOf(offer.after) : null,
  };
  const name = content && { from: touched?.name ?? content.before?.name ?? null, to: content.after?.name ?? null };
  return {
    ...{ id, position, isThere },
    price: moveOf(price, wasThere),
    name: moveOf(name, wasThere),
    before: touched?.differences ?? NOTHING,
    touched: {
      differences: patches.differences(loaded, now),
      price: price ? price.to : touched?.price,
      name: name ? name.to : touched?.name,
    },
  };
}

/** Where a product is in an order; a product that is not there is nowhere. @param {Move | null} move @param {boolean} wasThere @returns {Move} */
function moveOf(move, wasThere) {
  const { from, to } = move ?? { from: null, to: null };
  return { from: wasThere ? from : null, to };
}

/** As prices.sql writes it. @param {Offer | null} offer */
function priceOf(offer) {
  if (!offer) return null;
  const [whole, fraction = ''] = plainDecimal(offer.price).split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

exports.writeOf = writeOf;
