'use strict';

const { diagnose } = require('../../store/failures');
const { Problem, unavailable } = require('../../core/errors');
const { writesPaused } = require('../errors');
const { isLacking } = require('./migrations');
const { swapLock } = require('./statements');

/** @typedef {import('pg').Client} Client */
/** @typedef {(statement: import('./statements').Statement, values?: unknown[]) => Promise<any[]>} Query rows of a statement */

/** lock_not_available */
const NO_LOCK = '55P03';
/** read_only_sql_transaction: the server has become a replica, or is not a primary yet. */
const READ_ONLY = '25006';
/** Patroni empties it while it has no synchronous standby. */
const STANDBYS = 'SHOW synchronous_standby_names';

/** sequence_generator_limit_exceeded */
const NO_IDS = '2200H';

/** @param {Client} client @returns {Query} */
const queryOn =
  (client) =>
  async ({ name, text }, values = []) =>
    (await client.query({ name, text, values })).rows;

/**
 * Says what a failed statement means to a client.
 * @param {unknown} cause @returns {Error} a Problem, unless the error is unexpected
 */
function toProblem(cause) {
  const error = /** @type {Error & { code?: string }} */ (cause);
  if (error instanceof Problem) return error;
  if (isLacking(error)) return writesPaused('No catalog is loaded by this release. Load one.', error);
  if (error.code === NO_IDS) return noIds(error);
  if (error.code === READ_ONLY) return unavailable('The database server takes no writes.', error);
  return diagnose(error, true).error;
}

/** @param {Error} error that names the sequence */
const noIds = (error) =>
  writesPaused(
    'No id is left for what is new. An operator finds a range of free ids from N on, and runs ' +
      `ALTER SEQUENCE catalog_log.${/\w+_ids/.exec(error.message)} RESTART WITH N; ids that exist are passed over.`,
    error,
  );

/**
 * Runs statements of a write. The caller may send several at once: they run in order.
 * @template T
 * @param {Client} client pipelined, of this transaction alone
 * @param {(query: Query) => Promise<T>} work
 * @returns {Promise<T>} after the commit is on the disk
 */
async function inTransaction(client, work) {
  const query = queryOn(client);
  const [begun, passed] = [client.query('BEGIN'), query(swapLock)];
  try {
    await Promise.all([begun, passed]).catch((error) => {
      if (error.code === NO_LOCK) throw writesPaused('The catalog is being replaced.', error);
      throw error;
    });
    const result = await work(query);
    await commit(client);
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {}); // a lost connection has rolled back
    throw error;
  }
}

/** @param {Client} client @throws {Problem} 503 that says that the outcome is not known */
async function commit(client) {
  const { command } = await client.query('COMMIT').catch((error) => {
    throw unavailable(
      'The database was lost during the commit, and the write may have been done. Repeat it with the same Idempotency-Key, or read the product.',
      error,
    );
  });
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back at its commit');
}

/** @param {Client} client @throws {Problem} 503 while a commit would wait for no standby */
async function requireStandby(client) {
  const [{ synchronous_standby_names: names }] = (await client.query(STANDBYS)).rows;
  if (!names) throw writesPaused('No synchronous standby would have the write (WRITE_DURABILITY).');
}

exports.NO_IDS = NO_IDS;
exports.READ_ONLY = READ_ONLY;
exports.inTransaction = inTransaction;
exports.queryOn = queryOn;
exports.requireStandby = requireStandby;
exports.toProblem = toProblem;
