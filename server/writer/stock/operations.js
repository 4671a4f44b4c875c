'use strict';

/**
 * The operations of a request as parts of PostgreSQL's array literals: pg takes six times as long to make them from arrays.
 * @typedef {{ count: number, sets: number, skus: string, amounts: string, adjusts: string, expected: string }} Operations
 */
/** @typedef {{ set?: [sku: number, quantity: number, was?: number][], adjust?: [sku: number, delta: number][] }} StockBody */

/** @param {StockBody} body that fits its schema @returns {Operations} sets first */
function operationsOf({ set = [], adjust = [] }) {
  const all = /** @type {[sku: number, amount: number, was?: number][]} */ ([...set, ...adjust]);
  return {
    count: all.length,
    sets: set.length,
    skus: all.map(([sku]) => sku).join(','),
    amounts: all.map(([, amount]) => amount).join(','),
    adjusts: [...set.map(() => 'f'), ...adjust.map(() => 't')].join(','),
    expected: all.map(([, , was = 'NULL']) => was).join(','),
  };
}

/** @param {number} place of an operation, from 0 @param {number} sets @returns {string} JSON pointer into the body */
const pointerOf = (place, sets) => (place < sets ? `/set/${place}` : `/adjust/${place - sets}`);

exports.operationsOf = operationsOf;
exports.pointerOf = pointerOf;
