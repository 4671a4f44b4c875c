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

/** in_failed_sql_transaction: a statement behind the one that failed. */
const ABORTED = '25P02';

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
 * Runs a write. Its statements are sent as early as their parameters are known: several at once run in order.
 * @template S, T
 * @param {Client} client pipelined, of this transaction alone
 * @param {(query: Query) => Promise<S>} read only reads and locks: it is sent with BEGIN, and outside of a transaction a change would stay
 * @param {(state: S, query: Query, last: Query) => Promise<T>} write may send its last statement by `last`, which commits with it
 * @returns {Promise<T>} after the commit is on the disk
 */
async function inTransaction(client, read, write) {
  /** @type {unknown} */
  let firstError;
  /** @type {Query} */
  const query = (statement, values) =>
    queryOn(client)(statement, values).catch((error) => {
      firstError ??= error;
      throw error;
    });
  let ended = false;
  /** @type {Query} */
  const last = (statement, values) => {
    ended = true;
    return commit(client, query(statement, values));
  };
  try {
    const [begun, state] = await Promise.allSettled([begin(client, query), read(query)]);
    // A read after a failed BEGIN fails of that.
    if (begun.status === 'rejected') throw begun.reason;
    if (state.status === 'rejected') throw state.reason;
    const result = await write(state.value, query, last);
    if (!ended) await commit(client);
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {}); // a lost connection has rolled back
    throw /** @type {any} */ (error).code === ABORTED ? firstError : error;
  }
}

/** @param {Client} client @param {Query} query @throws {Problem} 503 during a swap */
const begin = (client, query) =>
  Promise.all([client.query('BEGIN'), query(swapLock)]).catch((error) => {
    throw error.code === NO_LOCK ? writesPaused('The catalog is being replaced.', error) : error;
  });

/**
 * @param {Client} client @param {Promise<any[]>} [last] the statement before it: when it fails, this rolls back
 * @returns {Promise<any[]>} its rows @throws {Problem} 503 that says that the outcome is not known
 */
async function commit(client, last = Promise.resolve([])) {
  const [rows, end] = await Promise.allSettled([last, client.query('COMMIT')]);
  if (end.status === 'rejected')
    throw unavailable(
      'The database was lost during the commit, and the write may have been done. Repeat it with the same Idempotency-Key, or read the product.',
      end.reason,
    );
  if (rows.status === 'rejected') throw rows.reason;
  if (end.value.command !== 'COMMIT') throw new Error('the transaction was rolled back at its commit');
  return rows.value;
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
