'use strict';

const { Problem } = require('../../core/errors');
const { contentErrors, returning } = require('../content/rules');
const { WRITE_PROBLEMS, invalidBody, writesPaused } = require('../errors');
const statements = require('../database/statements');

/** @typedef {import('../content/shape').Content} Content */
/** @typedef {import('../database/transaction').Query} Query @typedef {import('./write-group').Change} Change @typedef {import('./write-group').Plan} Plan */

const NOTHING_ONCE = { styles: new Set(), skus: new Map() };

/** Refuses contents that name what is not there. @param {Query} query @param {Plan[]} plans are changed */
async function checkContents(query, plans) {
  const targets = plans.flatMap(({ change }) => (change?.after ? newTargets(change.before, change.after) : []));
  const rows = targets.length > 0 ? await query(statements.lockRelated, [[...new Set(targets)]]) : [];
  const products = new Set(rows.map(({ id }) => id));
  for (const plan of plans) {
    const { change } = plan;
    if (!change?.after) continue;
    const problem = await contentProblem(query, change, products);
    if (problem) Object.assign(plan, { problem, change: undefined });
  }
}

/** Those that were there before are not checked again. @param {Content | null} before @param {Content} after */
const newTargets = (before, after) => after.related.filter((id) => !before?.related.includes(id));

/** @param {Query} query @param {Change} change @param {Set<number>} products that exist @returns {Promise<Error | null>} */
async function contentProblem(query, change, products) {
  const { id, before } = change;
  const after = /** @type {Content} */ (change.after);
  const back = returning(before, after);
  const isReturning = back.styles.length + back.skus.length > 0;
  const once = isReturning && id > 0 ? await readRemoved(query, id) : NOTHING_ONCE;
  Object.assign(change, { quantities: once.skus });
  const errors = contentErrors(before, after, { ...once, products, id }, change.write.kind === 'rollback');
  if (errors.length > 0) return invalidBody(errors);
  if (!isReturning) return null;
  await requireIndexes(query, ['styles_by_id', 'skus_by_id']);
  const [taken] = await query(statements.taken, [id, back.styles, back.skus]);
  return (
    taken && new Problem(WRITE_PROBLEMS.conflict, `The ${taken.kind} ${taken.id} belongs to another product by now.`)
  );
}

/** @param {Query} query @param {number} id */
async function readRemoved(query, id) {
  const rows = await query(statements.removed, [id]);
  const skus = rows.flatMap(({ removed }) => Object.entries(removed.skus));
  return {
    styles: new Set(rows.flatMap(({ removed }) => removed.styles)),
    skus: new Map(skus.map(([sku, quantity]) => /** @type {[number, number]} */ ([Number(sku), quantity]))),
  };
}

/** @param {Query} query @param {string[]} names @throws {Problem} 503 */
async function requireIndexes(query, names) {
  const [{ ready }] = await query(statements.hasIndexes, [names]);
  if (!ready) throw writesPaused('The indexes that this write needs are built after a load.');
}

exports.checkContents = checkContents;
exports.requireIndexes = requireIndexes;
