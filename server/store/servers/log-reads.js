'use strict';

const queries = require('../queries');
const { MASK } = require('./slots');

/** @typedef {import('./slots').Commit} Commit @typedef {import('./slots').SlotRows} SlotRows */
/**
 * @typedef {object} Status of a server; the numbers of commits are those of db/migrations/004_log.sql
 * @property {string} token data version that reads of this server see
 * @property {number} era
 * @property {number} seq of the last commit that they see
 * @property {number} listedSeq
 * @property {number} countedSeq
 * @property {boolean} isWritten whether the load has been written to
 * @property {boolean} recovering a replica that follows another server
 * @property {number} timeline 0 on a replica
 * @property {number} lagMs
 */

/*
 * All are sent without a name, which would make a prepared statement of them: a pooler's next server connection does not know it.
 */

/** @param {import('pg').Client} client @returns {Promise<{ status: Status | null, recovering: boolean }>} null: nothing was loaded yet */
async function readStatus(client) {
  const { rows } = await client.query(queries.serverStatus.text);
  const [{ token, era, recovering, timeline, is_written: isWritten, ...numbers }] = rows;
  const [seq, listedSeq, countedSeq] = [numbers.seq, numbers.listed_seq, numbers.counted_seq].map(Number);
  const log = { era, seq, listedSeq, countedSeq, isWritten };
  return { status: token && { token, ...log, recovering, timeline, lagMs: Number(numbers.lag_ms) }, recovering };
}

/**
 * @typedef {object} Log
 * @property {(after: number, upTo: number) => Promise<Commit[]>} commits a bounded piece of it, in order, between the numbers of two
 *   commits; it does not begin with the next one when that was deleted
 * @property {(status: Status) => Promise<SlotRows | null>} slots null: the server has another data version by now
 */

/** The log of a server. @param {import('pg').Client} client @returns {Log} */
const logOver = (client) => ({
  async commits(after, upTo) {
    const { rows } = await client.query(queries.commits.text, [after, upTo]);
    const ids = (/** @type {string} */ text) => JSON.parse(`[${text}]`);
    return rows.map(({ seq, content, restocked }) => ({
      seq: Number(seq),
      content: ids(content),
      restocked: ids(restocked),
    }));
  },
  async slots({ token, seq }) {
    const [row] = (await client.query(queries.slots.text, [MASK, seq])).rows;
    return row.token === token
      ? { slots: row.slots, productSeqs: row.product_seqs, stylesSeqs: row.styles_seqs }
      : null;
  },
});

exports.logOver = logOver;
exports.readStatus = readStatus;
