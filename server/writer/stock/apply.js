'use strict';

const { cursorText } = require('../../core/commit-cursor');
const { writesPaused } = require('../errors');
const { readServed, requireIndexes } = require('../database/served');
const statements = require('../database/statements');
const { inTransaction } = require('../database/transaction');

/** @typedef {{ pos: string, sku: number, reason: 'unknown-sku' | 'not-as-expected' | 'out-of-range', quantity: number | null }} Reject */
/**
 * @typedef {object} Applied
 * @property {number} from offset before it @property {number} to offset after it
 * @property {number} operations 0: there was nothing to apply @property {number} rejected of these
 * @property {Map<number, Reject> | null} rejects by offset; null: not read
 * @property {string} cursor the commit that has the operations up to `to`
 */

/** Without them it would read all skus for each transaction. */
const INDEXES = ['skus_by_id', 'styles_by_id'];

/** @typedef {{ cursor: string, rejects: Reject[] } | null} Settled null: read what became of the request */
/** @typedef {import('../database/transaction').Query} Query */

/** From the second one on, the products are locked first, as by writes of content. Hardly any needs a third. */
const MAX_TRIES = 4;
/** deadlock_detected, with a write of content. */
const MET = '40P01';

/** @typedef {{ append?: (query: Query) => Promise<T>, wantsRejects: () => boolean }} Work append: before it applies @template T */

/**
 * Applies the next operations of the log, up to 10,000. It reads them from the log only, so a start after a crash is no other case.
 * @param {import('pg').Client} client pipelined @param {() => boolean} wantsRejects
 * @returns {Promise<Applied>}
 */
const applyStock = async (client, wantsRejects) => (await untilNoneMoves(client, { wantsRejects })).applied;

/**
 * Logs operations and applies the next ones, which are these unless others wait before them: one flush for both.
 * @template T
 * @param {import('pg').Client} client pipelined @param {(query: Query) => Promise<T>} append
 * @returns {Promise<{ appended: T, applied: Applied }>}
 */
const logAndApply = (client, append) => untilNoneMoves(client, { append, wantsRejects: () => true });

/**
 * Runs a transaction that applies operations, again if writes have moved skus meanwhile.
 * @template T
 * @param {import('pg').Client} client @param {Work<T>} work
 * @returns {Promise<{ appended: T, applied: Applied }>}
 */
async function untilNoneMoves(client, work) {
  /** @type {number[]} products that the next try holds */
  let held = [];
  for (let tries = 1; ; tries += 1) {
    try {
      // The lock of an applier before an append: the other order would let two writers wait for each other.
      return await inTransaction(client, lockLog, (locked, query, last) =>
        applyNext(query, last, { locked, held, work }),
      );
    } catch (cause) {
      const { code, missed } = /** @type {Error & { code?: string, missed?: number[] }} */ (cause);
      if (tries === MAX_TRIES || !(missed || code === MET)) throw cause;
      held = missed ?? held;
    }
  }
}

/** @param {Query} query */
async function lockLog(query) {
  const [[lock], served] = await Promise.all([
    query(statements.stockLock),
    readServed(query),
    requireIndexes(query, INDEXES),
  ]);
  return { lock, served };
}

/**
 * @template T
 * @param {Query} query @param {Query} last @param {{ locked: Awaited<ReturnType<typeof lockLog>>, held: number[], work: Work<T> }} given
 * @returns {Promise<{ appended: T, applied: Applied }>}
 */
async function applyNext(query, last, { locked: { lock, served }, held, work: { append, wantsRejects } }) {
  const from = Number(lock.applied);
  const [appended, , [{ pos, operations, rejected, restocked, crossed, missed }]] = await Promise.all([
    /** @type {Promise<T>} */ (append?.(query)),
    held.length > 0 && query(statements.lockProducts, [held]),
    query(statements.stockApply),
  ]);
  if (missed.length > 0) throw Object.assign(writesPaused('Skus are moved all the time.'), { missed });
  const to = pos === null ? from : Number(pos);
  const isWanted = rejected > 0 && wantsRejects();
  const rejects = isWanted ? await query(statements.stockRejects, [from + 1, to]) : [];
  const { era, load_id: loadId, campus, now } = served;
  let { seq } = served;
  // Also if none changed a quantity: a load that replays the writes after a cursor gives them to files with other quantities.
  if (operations > rejected) {
    const rebuilt = crossed.length > 0 ? await query(statements.rebuild, [crossed, campus, loadId, now]) : [];
    const listed = (/** @type {(row: any) => boolean} */ isListed) => rebuilt.filter(isListed).map(({ id }) => id);
    const cards = listed(({ has_card: hasCard }) => hasCard);
    const updated = listed(({ kind }) => kind === 'updated');
    [{ seq }] = await last(statements.stockCommit, [pos, restocked, cards, updated, lock.seen]);
  }
  const cursor = cursorText({ era, seq });
  const isRead = isWanted || rejected === 0;
  const byOffset = isRead ? new Map(rejects.map((reject) => [Number(reject.pos), reject])) : null;
  return { appended, applied: { from, to, operations, rejected, rejects: byOffset, cursor } };
}

/**
 * Says what became of a request that is applied. It is in one row of the log, so one transaction has applied it: this one, or one before of
 * another writer.
 * @param {Applied} applied @param {number} first offset @param {number} last @returns {Settled}
 */
function settledBy({ from, rejects, cursor }, first, last) {
  if (!rejects || first <= from) return null;
  const offsets = rejects.size > 0 ? Array.from({ length: last - first + 1 }, (_, place) => first + place) : [];
  return { cursor, rejects: offsets.flatMap((offset) => rejects.get(offset) ?? []) };
}

exports.applyStock = applyStock;
exports.logAndApply = logAndApply;
exports.settledBy = settledBy;
