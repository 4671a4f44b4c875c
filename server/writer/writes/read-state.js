'use strict';

const { digestOf } = require('../../cache/entry');
const { PROBLEMS, Problem } = require('../../core/errors');
const { digestsIn } = require('../../http/replies/validators');
const { parseStored } = require('../content/exact');
const { returning } = require('../content/rules');
const { fromStored, ordered } = require('../content/shape');
const { hasIndexes, requireIndexes } = require('../database/served');
const statements = require('../database/statements');
const { decide, requestKey } = require('./decide');

/** @typedef {import('./types').Write} Write @typedef {import('./types').Decision} Decision @typedef {import('./types').Read} Read */
/** @typedef {import('./types').State} State @typedef {import('./types').Case} Case @typedef {import('./types').Content} Content */
/** @typedef {import('../database/transaction').Query} Query @typedef {import('../database/served').ServedLoad} ServedLoad */
/** @typedef {import('./types').Served} Served */

/** @type {import('./types').Once} */
const NOTHING_ONCE = { styles: new Set(), skus: new Map() };

/**
 * The first stage: locks the products of a group, and reads all that the plan depends on.
 * @param {Query} query @param {Write[]} writes @param {ServedLoad} load @returns {Promise<State>}
 */
async function readState(query, writes, load) {
  const isDeletion = writes[0].kind === 'delete';
  const ids = writes.flatMap(({ id }) => id ?? []);
  const [, stored, served, products, revisions] = await Promise.all([
    query(isDeletion ? statements.lockDeleted : statements.lockProducts, [ids]),
    readStored(query, writes),
    load.read(query),
    readProducts(query, ids),
    query(statements.lastRevisions, [ids]),
  ]);
  const read = { served, stored, products, last: lastOf(revisions, served) };
  const decisions = writes.map((write) => decide(write, read));
  const named = await readNamed(query, { writes, decisions, read });
  if (!isDeletion) return { ...read, ...named, referring: new Set() };
  const others = await readReferring(query, writes, { decisions, served });
  return {
    ...named,
    served,
    stored,
    referring: new Set(others.products.keys()),
    products: new Map([...products, ...others.products]),
    last: new Map([...read.last, ...others.last]),
  };
}

/** @param {Query} query @param {Write[]} writes @returns {Promise<Read['stored']>} */
async function readStored(query, writes) {
  const keys = writes.flatMap(({ who, idempotency, content }) =>
    [idempotency, content].flatMap((each) => (each ? { keyId: who.keyId, key: each.key } : [])),
  );
  const rows = await query(statements.requests, [keys.map(({ keyId }) => keyId), keys.map(({ key }) => key)]);
  return new Map(rows.map((row) => [requestKey(row.key_id, row.key), row]));
}

/**
 * @param {Query} query @param {number[]} ids
 * @returns {Promise<Map<number, import('./types').Found>>} those that exist
 */
async function readProducts(query, ids) {
  const rows = await query(statements.readProducts, [ids]);
  return new Map(rows.map((row) => [row.id, { ...fromStored(row), digest: digestOf('', Buffer.from(row.product)) }]));
}

/** The content of a revision. @param {string} text @param {Served['rules']} rules @returns {Content} */
const contentIn = (text, { declaration }) => ordered(parseStored(text), declaration);

/** @param {any[]} revisions @param {Served} served @returns {Map<number, import('./types').LastRevision>} */
const lastOf = (revisions, { rules }) =>
  new Map(revisions.map((row) => [row.id, { ...row, content: row.content && contentIn(row.content, rules) }]));

/**
 * Reads what the decisions name. Most name nothing, and cost no statement.
 * @param {Query} query @param {{ writes: Write[], decisions: Decision[], read: Read }} decided
 * @returns {Promise<Omit<import('./types').Named, 'referring'>>}
 */
async function readNamed(query, { writes, decisions, read }) {
  const given = writes.map((write, index) => ({ write, decision: decisions[index], back: backOf(decisions[index]) }));
  const comesBack = given.some(({ write, back }) => write.id !== null && countOf(back) > 0);
  const [targets, hasKeys, ...more] = await Promise.all([
    readTargets(query, decisions),
    comesBack ? hasIndexes(query, ['styles_by_id', 'skus_by_id']) : false,
    ...given.map(async ({ write, decision, back }) => ({
      was: await readTagged(query, write, decision, read),
      once: write.id !== null && countOf(back) > 0 ? await readOnce(query, write.id) : NOTHING_ONCE,
    })),
  ]);
  const cases = given.map(async ({ write, decision, back }, index) => {
    const { was, once } = more[index];
    return {
      write,
      decision,
      was,
      once,
      taken: hasKeys ? await readTaken(query, write, write.kind === 'upsert' ? back : knownOf(back, once)) : undefined,
    };
  });
  return { cases: await Promise.all(cases), targets, hasKeys };
}

/** @typedef {{ styles: number[], skus: number[] }} Ids */

/** @param {Decision} decision @returns {Ids} what its product does not have now */
const backOf = ({ difference }) =>
  difference?.after ? returning(difference.before, difference.after) : { styles: [], skus: [] };

/** @param {Ids} ids */
const countOf = ({ styles, skus }) => styles.length + skus.length;

/** @param {Ids} ids @param {import('./types').Once} once @returns {Ids} without those that the plan refuses anyway */
const knownOf = ({ styles, skus }, once) => ({
  styles: styles.filter((id) => once.styles.has(id)),
  skus: skus.filter((id) => once.skus.has(id)),
});

/** Those that were named before are not read again. @param {Query} query @param {Decision[]} decisions */
async function readTargets(query, decisions) {
  const ids = decisions.flatMap(({ difference }) =>
    (difference?.after?.related ?? []).filter((id) => !difference?.before?.related.includes(id)),
  );
  const rows = ids.length > 0 ? await query(statements.lockRelated, [[...new Set(ids)]]) : [];
  return new Set(rows.map(({ id }) => id));
}

/** @param {Query} query @param {number} id @returns {Promise<import('./types').Once>} */
async function readOnce(query, id) {
  const rows = await query(statements.removed, [id]);
  const skus = rows.flatMap(({ removed }) => Object.entries(removed.skus));
  return {
    styles: new Set(rows.flatMap(({ removed }) => removed.styles)),
    skus: new Map(skus.map(([sku, quantity]) => /** @type {[number, number]} */ ([Number(sku), quantity]))),
  };
}

/** @param {Query} query @param {Write} write @param {Ids} ids */
async function readTaken(query, { id }, { styles, skus }) {
  if (styles.length + skus.length === 0) return undefined;
  const [taken] = await query(statements.taken, [id, styles, skus]);
  return taken;
}

/** @param {Query} query @param {Write} write @param {Decision} decision @param {Read} read @returns {Promise<Content | undefined>} */
async function readTagged(query, { kind, id, ifMatch }, { problem }, { products, served }) {
  const isLate = problem instanceof Problem && problem.kind === PROBLEMS.preconditionFailed;
  if (!isLate || kind !== 'patch' || !ifMatch || !products.has(id ?? 0)) return undefined;
  const [was] = await query(statements.tagged, [id, digestsIn(ifMatch)]);
  return was && contentIn(was.content, served.rules);
}

/**
 * Deleted products leave the related lists of others, which are locked for that.
 * @param {Query} query @param {Write[]} writes @param {{ decisions: Decision[], served: Served }} decided
 * @returns {Promise<Pick<Read, 'products' | 'last'>>} of the others
 */
async function readReferring(query, writes, { decisions, served }) {
  const deleted = writes.flatMap(({ id }, index) => (decisions[index].difference && id !== null ? [id] : []));
  if (deleted.length === 0) return { products: new Map(), last: new Map() };
  await requireIndexes(query, ['related_by_target']);
  const ids = (await query(statements.referring, [deleted])).map(({ id }) => id);
  const [, products, revisions] = await Promise.all([
    query(statements.lockProducts, [ids]),
    readProducts(query, ids),
    query(statements.lastRevisions, [ids]),
  ]);
  return { products, last: lastOf(revisions, served) };
}

exports.contentIn = contentIn;
exports.lastOf = lastOf;
exports.readProducts = readProducts;
exports.readState = readState;
exports.readStored = readStored;
