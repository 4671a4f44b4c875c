'use strict';

const { unavailable } = require('../../core/errors');
const statements = require('../database/statements');

/** @typedef {import('./log').Request} Request */
/** @typedef {{ last: number, ends: number[] }} Appended last offset of the row, and of each request */

const COLUMNS = /** @type {const} */ (['skus', 'amounts', 'adjusts', 'expected']);

/**
 * Writes one row of the log.
 * @param {import('../database/transaction').Query} query @param {Request[]} requests
 * @returns {Promise<Appended>} durable when the transaction has ended
 */
async function appendRow(query, requests) {
  let operations = 0;
  const counts = requests.map(({ count }) => count);
  const ends = counts.map((count) => (operations += count));
  const keyed = requests.flatMap(({ keyId, idempotency }, index) =>
    idempotency ? [{ key_id: keyId, ...idempotency, behind: operations - ends[index] }] : [],
  );
  const [{ pos }] = await query(statements.stockAppend, [
    ...COLUMNS.map((name) => `{${requests.map((request) => request[name]).join(',')}}`),
    counts,
    requests.map(({ actor }) => actor),
    JSON.stringify(keyed),
  ]).catch((error) => {
    throw error.severity ? error : lost(error); // only the server's own errors have one
  });
  return { last: Number(pos), ends: ends.map((end) => Number(pos) - operations + end) };
}

/** @param {Error} cause */
const lost = (cause) =>
  unavailable(
    'The database was lost, and the operations may have been logged. Repeat adjusts with the same Idempotency-Key.',
    cause,
  );

exports.appendRow = appendRow;
