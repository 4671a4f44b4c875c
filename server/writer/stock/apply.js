'use strict';

const { writesPaused } = require('../errors');
const { requireIndexes } = require('../store/check-contents');
const { readServed } = require('../store/read-products');
const statements = require('../store/statements');
const { inTransaction } = require('../store/transaction');

/** @typedef {{ pos: string, sku: number, reason: 'unknown-sku' | 'not-as-expected' | 'out-of-range', quantity: number | null }} Reject */
/**
 * @typedef {object} Applied
 * @property {number} from position before it @property {number} to position after it
 * @property {number} operations 0: there was nothing to apply @property {number} rejected of these
 * @property {Reject[] | null} rejects null: not read
 * @property {string} cursor the commit that has the operations up to `to`
 */

/** Without them it would read all skus for each transaction. */
const INDEXES = ['skus_by_id', 'styles_by_id'];

/**
 * Applies the next operations of the log, up to 10,000. It reads them from the log only, so a start after a crash is no other case.
 * @param {import('pg').Client} client pipelined @param {() => boolean} wantsRejects
 * @returns {Promise<Applied>}
 */
const applyStock = (client, wantsRejects) =>
  inTransaction(client, async (query) => {
    const [[lock], served] = await Promise.all([
      query(statements.stockLock),
      readServed(query),
      requireIndexes(query, INDEXES),
    ]);
    if (!served) throw writesPaused('No catalog is loaded.');
    const from = Number(lock.applied);
    const [{ pos, operations, rejected, restocked, crossed }] = await query(statements.stockApply);
    const to = pos === null ? from : Number(pos);
    const isWanted = rejected > 0 && wantsRejects();
    const rejects = isWanted ? await query(statements.stockRejects, [from + 1, to]) : null;
    const { era, load_id: loadId, campus, now } = served;
    let { seq } = served;
    if (restocked.length > 0) {
      const rebuilt = crossed.length > 0 ? await query(statements.rebuild, [crossed, campus, loadId, now]) : [];
      const listed = (/** @type {(row: any) => boolean} */ isListed) => rebuilt.filter(isListed).map(({ id }) => id);
      const cards = listed(({ has_card: hasCard }) => hasCard);
      const updated = listed(({ kind }) => kind === 'updated');
      [{ seq }] = await query(statements.stockCommit, [pos, restocked, cards, updated, lock.seen]);
    }
    const cursor = `${era}.${seq}`;
    return { from, to, operations, rejected, rejects: rejected > 0 ? rejects : [], cursor };
  });

exports.applyStock = applyStock;
