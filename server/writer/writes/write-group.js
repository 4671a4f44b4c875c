'use strict';

const { Problem } = require('../../core/errors');
const { judge } = require('./decide');
const { WRITE_PROBLEMS, writesPaused } = require('../errors');
const { applyChanges } = require('./apply-plan');
const { checkContents, requireIndexes } = require('./plan');
const { nameConflicts } = require('./conflicts');
const { finish } = require('./record');
const { readLastRevisions, readProducts, readServed } = require('./read-state');
const statements = require('../database/statements');
const { inTransaction } = require('../database/transaction');

/** @typedef {import('./decide').Write} Write @typedef {import('../content/shape').Content} Content */
/** @typedef {import('../database/transaction').Query} Query */
/** @typedef {{ status: number, headers: Record<string, string>, body: string }} Reply */
/**
 * @typedef {object} State what a transaction has read
 * @property {Awaited<ReturnType<typeof readServed>>} served
 * @property {Awaited<ReturnType<typeof readProducts>>} found
 * @property {Awaited<ReturnType<typeof readLastRevisions>>} last
 * @property {Map<string, { fingerprint: string } & Reply>} stored replies by `requestKey`
 */
/**
 * @typedef {object} Change of one product
 * @property {number} id
 * @property {Write} write
 * @property {boolean} isAsked false: the deletion of another product made it
 * @property {Content | null} before @property {Content | null} after
 * @property {Map<number, number>} quantities of skus that come back
 */
/** @typedef {{ reply?: Reply, problem?: unknown, isSame?: boolean, change?: Change }} Plan */

const idsOf = (/** @type {Write[]} */ writes) => writes.flatMap(({ id }) => id ?? []);
const requestKey = (/** @type {string} */ keyId, /** @type {string} */ key) => `${keyId} ${key}`;

/**
 * @param {import('../database/writer-database').WriterDatabase} database @param {import('../../core/events').Events} events
 * @returns {(writes: Write[]) => Promise<(Reply | Error)[]>}
 */
const groupWriter = (database, events) => async (writes) => {
  const startedMs = performance.now();
  const replies = await database.on('write', (client) => writeGroup(client, writes));
  events.emit('groupWritten', writes.length, performance.now() - startedMs);
  database.ring();
  return replies;
};

/**
 * Writes several products in one transaction; none is named twice, and a deletion has only others beside it. One that is refused does not
 * hinder the others.
 * @param {import('pg').Client} client @param {Write[]} writes
 * @returns {Promise<(Reply | Error)[]>} in their order
 */
const writeGroup = (client, writes) =>
  inTransaction(client, async (query) => {
    const state = await readState(query, writes);
    const plans = writes.map((write) => planOf(write, state));
    await nameConflicts(query, writes, plans, state);
    await checkContents(query, plans);
    if (writes[0].kind === 'delete') plans.push(...(await referringPlans(query, plans, state)));
    const changes = plans.flatMap(({ change }) => change ?? []);
    const written = await applyChanges(query, changes, state);
    const finished = await finish(query, { writes, plans, written, state });
    return finished.slice(0, writes.length);
  });

/** @param {Query} query @param {Write[]} writes @returns {Promise<State>} */
async function readState(query, writes) {
  const ids = idsOf(writes);
  const keys = writes.flatMap(({ who, idempotency, content }) =>
    [idempotency, content].flatMap((each) => (each ? { keyId: who.keyId, key: each.key } : [])),
  );
  const locked = query(writes[0].kind === 'delete' ? statements.lockDeleted : statements.lockProducts, [ids]);
  const replies = query(statements.requests, [keys.map(({ keyId }) => keyId), keys.map(({ key }) => key)]);
  const [, rows, served, found] = await Promise.all([locked, replies, readServed(query), readProducts(query, ids)]);
  if (!served) throw writesPaused('No catalog is loaded.');
  const last = await readLastRevisions(query, ids, served.load_id);
  return { served, found, last, stored: new Map(rows.map((row) => [requestKey(row.key_id, row.key), row])) };
}

/** @param {Write} write @param {State} state @returns {Plan} */
function planOf(write, { found, last, stored }) {
  const { id, who, idempotency, content } = write;
  const known = idempotency && stored.get(requestKey(who.keyId, idempotency.key));
  if (known) return known.fingerprint === idempotency.fingerprint ? { reply: known } : { problem: reused() };
  const same = content && stored.get(requestKey(who.keyId, content.key));
  const line = same && content.lineOf(same.fingerprint);
  if (line) return { problem: moved(line) };
  try {
    const verdict = judge(write, found.get(id ?? 0), last.get(id ?? 0));
    if (verdict.isSame) return { isSame: true };
    const { before, after } = verdict;
    return { change: { id: id ?? 0, write, isAsked: true, before, after, quantities: new Map() } };
  } catch (problem) {
    return { problem };
  }
}

const reused = () =>
  new Problem(WRITE_PROBLEMS.idempotencyKeyReused, 'Another request had this Idempotency-Key. Use a new one.');

/** @param {number} line */
const moved = (line) =>
  new Problem(
    WRITE_PROBLEMS.idempotencyKeyReused,
    `An earlier request with this Idempotency-Key had these bytes in line ${line}, and they are done. Send its lines again as they were, or others with a new key.`,
  );

/**
 * Deleted products leave the related lists of others.
 * @param {Query} query @param {Plan[]} plans @param {State} state gets the others
 * @returns {Promise<Plan[]>}
 */
async function referringPlans(query, plans, state) {
  const deletions = new Map(plans.flatMap(({ change }) => (change ? [[change.id, change.write]] : [])));
  if (deletions.size === 0) return [];
  await requireIndexes(query, ['related_by_target']);
  const ids = (await query(statements.referring, [[...deletions.keys()]])).map(({ id }) => id);
  const [, found, last] = await Promise.all([
    query(statements.lockProducts, [ids]),
    readProducts(query, ids),
    readLastRevisions(query, ids, state.served.load_id),
  ]);
  for (const [id, each] of last) state.last.set(id, each);
  return [...found].flatMap(([id, { content }]) => {
    const [first] = content.related.filter((each) => deletions.has(each));
    const write = deletions.get(first);
    if (!write) return []; // its stored reply is not what its rows say, which `verify` finds
    const after = { ...content, related: content.related.filter((each) => !deletions.has(each)) };
    return { change: { id, write, isAsked: false, before: content, after, quantities: new Map() } };
  });
}

exports.reused = reused;
exports.groupWriter = groupWriter;
