'use strict';

const { unavailable, withoutSkus } = require('../core/errors');

/** After these SQLSTATEs a connection is replaced: it or its server is going away. 25P03: its process was frozen in a transaction. */
const DROP = /^(08|57P0[1-5]|25P03)/;

/** The prepared statement is stale: a column changed its type, or behind a pooler the connection lacks it or has another of that name. */
const STALE = /^(0A000|26000|42P05)$/;

/** No table yet: nothing was loaded into this database. */
const NOT_LOADED = /^(42P01|3F000)$/;

/** Stopped by statement_timeout, transaction_timeout or lock_timeout, by a deadlock or by a replica's recovery. */
const TOO_SLOW = /^(57014|25P04|55P03|40001|40P01)$/;

/** No memory, disk or connection left (53), or the disk failed (58). */
const EXHAUSTED = /^5[38]/;

/** Errors of the socket, or of TLS on it. */
const OF_CONNECTION = /^(E[A-Z]+|ERR_SSL_\w+)$/;

/**
 * A query failed only because another did. The first query of a statement prepares it for those sent after it. When it
 * fails, they find no statement (26000); and since pg forgets the name at each of their errors, it may prepare it twice (42P05).
 * @param {string} code @param {boolean} prepared whether the statement is, on this connection
 */
const isOfAnother = (code, prepared) => code === (prepared ? '42P05' : '26000');

/** @param {unknown} error from pg @returns {boolean} whether no catalog is loaded yet */
const isNotLoaded = (error) => NOT_LOADED.test(/** @type {{ code?: string }} */ (error).code ?? '');

/** A column, a function or a right is missing. */
const LACKING = /^(42703|42883|42501)$/;

/**
 * A migration is missing: all that a status needs comes from them. PostgreSQL names what it lacks in every language.
 * @param {Error & { code?: string }} error from pg, of the status
 */
const isOutdated = (error) =>
  LACKING.test(error.code ?? '') ||
  (isNotLoaded(error) && /catalog_log|catalog_meta\.(tuning|declarations)/.test(error.message));

/** @param {Error} cause */
const explainOutdated = (cause) =>
  new Error(`The database is of an earlier release: run prepare (npm run etl -- prepare). ${cause.message}`, { cause });

/** @param {unknown} error from pg @returns {boolean} whether there was no answer in time */
const isSilence = (error) => /** @type {Error} */ (error).message === 'Query read timeout';

/**
 * The meaning of a failed query.
 * @param {Error & { code?: string }} error from pg
 * @param {boolean} prepared whether its statement is, on its connection
 * @returns {{ drop?: boolean, stale?: boolean, retry: boolean, error: Error }} drop: the connection must be replaced;
 *   stale: the statement is, on this connection; retry: the same read may succeed; error: for the caller otherwise
 */
function diagnose(error, prepared) {
  const code = error.code ?? '';
  if (isOfAnother(code, prepared)) return { retry: true, error: unavailable('The database is too slow.', error) };
  if (STALE.test(code))
    return { stale: true, retry: true, error: unavailable('The catalog is being replaced.', error) };
  if (DROP.test(code)) return { drop: true, retry: true, error: unavailable('The database is restarting.', error) };
  if (isNotLoaded(error) && error.message.includes('sku_replies')) return { retry: false, error: withoutSkus(error) };
  if (isNotLoaded(error)) return { retry: false, error: unavailable('No catalog is loaded yet.', error) };
  if (TOO_SLOW.test(code) || isSilence(error))
    return { retry: false, error: unavailable('The database is too slow.', error) };
  if (EXHAUSTED.test(code))
    return { retry: false, error: unavailable('The database is out of memory or disk.', error) };
  if (/^Connection terminated|not queryable/.test(error.message) || OF_CONNECTION.test(code))
    return { drop: true, retry: true, error: unavailable('The database cannot be reached.', error) };
  return { retry: false, error };
}

exports.diagnose = diagnose;
exports.explainOutdated = explainOutdated;
exports.isNotLoaded = isNotLoaded;
exports.isOutdated = isOutdated;
exports.isSilence = isSilence;
