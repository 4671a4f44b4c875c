'use strict';

const { isSame, planned, settled, visibilityText } = require('../content/visibility');
const { requireIndexes } = require('../database/served');
const { inTransaction } = require('../database/transaction');
const statements = require('../database/statements');
const { unknownProduct } = require('../errors');
const { repeated } = require('./decide');
const { readStored } = require('./read-state');

/** @typedef {import('./types').Write} Write @typedef {import('./types').Reply} Reply @typedef {import('../database/transaction').Query} Query */
/** @typedef {import('../content/visibility').Visibility & { id: number, exists: boolean, now: Date }} State of a product, as it is stored */
/** @typedef {import('../content/visibility').Visibility & { id: number, exists: boolean, flips: boolean }} Next */

const VISIBILITY_KINDS = ['hide', 'publish', 'due'];

/**
 * Hides or publishes a product, or those that are due. Documents of a hidden product are where no reader looks (db/documents/rebuild.sql), its rows
 * stay.
 * @param {import('pg').Client} client pipelined @param {Write} write @param {import('../database/served').ServedLoad} load
 * @returns {Promise<Reply | Error>} after the commit is on the disk
 */
const writeVisibility = (client, write, load) =>
  inTransaction(
    client,
    (query) => readVisibility(query, write, load),
    async ({ stored, served, states }, query) => {
      const known = repeated(write, stored);
      if (known) return known.reply ?? /** @type {Error} */ (known.problem);
      const next = nextOf(write, states);
      if (next instanceof Error) return next;
      const changed = next.filter((each, index) => !isSame(each, states[index]));
      if (changed.length > 0) await query(statements.setVisibility, [JSON.stringify(changed), askedBy(write)]);
      const flipped = changed.filter(({ exists, flips }) => exists && flips).map(({ id }) => id);
      const body = write.id === null ? '' : visibilityText(write.id, next[0]);
      const cursor = await commitShown(query, { write, body, flipped, served });
      return { status: 200, headers: { 'Catalog-Cursor': cursor }, body };
    },
  );

/** @param {Query} query @param {Write} write @param {import('../database/served').ServedLoad} load */
async function readVisibility(query, write, load) {
  const ids = write.id === null ? write.body : [write.id];
  const [, stored, served, states] = await Promise.all([
    query(statements.lockDeleted, [ids]),
    readStored(query, [write]),
    load.read(query),
    query(statements.visibility, [ids]),
  ]);
  return { stored, served, states: /** @type {State[]} */ (states) };
}

/** @param {Write} write @param {State[]} states @returns {Next[] | Error} */
function nextOf({ id, kind, body }, states) {
  if (id !== null && !states[0].exists) return unknownProduct(id);
  try {
    return states.map((state) => {
      const next =
        kind === 'hide' || kind === 'publish' ? planned(state, kind, body, state.now) : settled(state, state.now);
      return { ...next, id: state.id, exists: state.exists, flips: next.hidden !== state.hidden };
    });
  } catch (problem) {
    return /** @type {Error} */ (problem);
  }
}

/** @param {Write} write */
const askedBy = ({ kind, who: { keyId, ...who } }) =>
  kind === 'due' ? null : JSON.stringify({ kind, at: new Date(), ...who });

/**
 * Makes the documents of products that are hidden or published, and of those that name them, and numbers the commit.
 * @param {Query} query
 * @param {{ write: Write, body: string, flipped: number[], served: import('./types').Served }} made
 * @returns {Promise<string>} the cursor
 */
async function commitShown(query, { write, body, flipped, served }) {
  const rebuilt = await rebuildShown(query, flipped, served);
  const ids = rebuilt.map(({ id }) => id);
  const unwritten = await query(statements.unwritten, [ids]);
  const cards = rebuilt.flatMap(({ id, kind, has_card: hasCard }) => (hasCard || kind === 'deleted' ? [id] : []));
  const { who, idempotency } = write;
  const request = { key_id: who.keyId, ...idempotency, status: 200, headers: {}, body };
  const requests = JSON.stringify(idempotency ? [request] : []);
  const lists = [[], ids, [], cards];
  const [{ cursor }] = await query(statements.commit, [served.load_id, ...lists, '[]', requests, served.seq]);
  if (ids.length > 0) await query(statements.shown, [unwritten.map(({ id }) => id)]);
  return cursor;
}

/** @param {Query} query @param {number[]} flipped @param {import('./types').Served} served @returns {Promise<any[]>} of rebuild.sql */
async function rebuildShown(query, flipped, { campus, load_id: loadId, now }) {
  if (flipped.length === 0) return [];
  await requireIndexes(query, ['related_by_target']);
  const referring = (await query(statements.referring, [flipped])).map(({ id }) => id);
  await query(statements.lockProducts, [referring]);
  return query(statements.rebuild, [[...flipped, ...referring], campus, loadId, now]);
}

exports.VISIBILITY_KINDS = VISIBILITY_KINDS;
exports.writeVisibility = writeVisibility;
