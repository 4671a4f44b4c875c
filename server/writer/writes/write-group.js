'use strict';

const { inTransaction } = require('../database/transaction');
const { applyPlans } = require('./apply-plan');
const { planGroup } = require('./plan');
const { readState } = require('./read-state');
const { record } = require('./record');
const { VISIBILITY_KINDS, writeVisibility } = require('./write-visibility');

/** @typedef {import('./types').Write} Write @typedef {import('./types').Reply} Reply */

/**
 * Writes several products in one transaction; none is named twice, and a deletion has only others beside it. One that is refused does not
 * hinder the others.
 * @param {import('pg').Client} client pipelined @param {Write[]} writes @param {import('../database/served').ServedLoad} load
 * @returns {Promise<(Reply | Error)[]>} in their order, after the commit is on the disk
 */
const writeGroup = (client, writes, load) =>
  inTransaction(
    client,
    // Locks the products, and reads what the writes name, then what the decisions on them name.
    (query) => readState(query, writes, load),
    async (state, query, last) => {
      // Finds the end of each write: a problem, a reply that is repeated, or a change. Sends no statement.
      const plans = planGroup(state);
      // Gives ids to what is new, writes the rows that differ, and makes the documents of their products.
      const applied = await applyPlans(query, plans, state.served);
      // Stores revisions, and replies for repeats, and numbers the commit.
      return record(last, applied, state);
    },
  );

/**
 * @param {import('../database/writer-database').WriterDatabase} database @param {import('../../core/events').Events} events
 * @returns {(writes: Write[]) => Promise<(Reply | Error)[]>}
 */
const groupWriter = (database, events) => async (writes) => {
  const startedMs = performance.now();
  const [first] = writes;
  const replies = await database.on('write', async (client) =>
    VISIBILITY_KINDS.includes(first.kind)
      ? [await writeVisibility(client, first, database.load)] // alone, as the queue has it
      : writeGroup(client, writes, database.load),
  );
  events.emit('groupWritten', writes.length, performance.now() - startedMs);
  database.ring();
  return replies;
};

exports.groupWriter = groupWriter;
