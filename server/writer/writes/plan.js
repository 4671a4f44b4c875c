'use strict';

const { Problem } = require('../../core/errors');
const { changedPaths, overlap, patchedPaths } = require('../content/paths');
const { contentErrors, returning } = require('../content/rules');
const { lacksIndexes } = require('../database/served');
const { WRITE_PROBLEMS, invalidBody } = require('../errors');

/** @typedef {import('./types').State} State @typedef {import('./types').Case} Case @typedef {import('./types').Plan} Plan */
/** @typedef {import('./types').Difference} Difference @typedef {import('./types').Content} Content */

/**
 * The second stage, which sends no statement.
 * @param {State} state
 * @returns {Plan[]} one for each write, in their order, and then those of the products that name deleted ones
 * @throws {Problem} 503 while an index is lacking
 */
function planGroup(state) {
  const plans = state.cases.map((each) => planOf(each, state));
  return [...plans, ...referringPlans(plans, state)];
}

/** @param {Case} given @param {State} state @returns {Plan} */
function planOf(given, state) {
  const { write, decision } = given;
  const { reply, problem, difference } = decision;
  if (problem) return { write, isAsked: true, problem: withConflicts(problem, given, state) };
  if (!difference) return { write, isAsked: true, reply };
  const refusal = difference.after && refusalOf(given, difference, difference.after, state);
  if (refusal) return { write, isAsked: true, problem: refusal };
  return { write, isAsked: true, change: { id: write.id ?? 0, ...difference, quantities: given.once.skus } };
}

/**
 * Names in the problem of a patch that came too late what others have changed since its ETag, and what of that it changes too. A client
 * whose patch is in no conflict repeats it with the current ETag. Nothing is named where no revision has that ETag.
 * @param {unknown} problem @param {Case} given @param {State} state
 */
function withConflicts(problem, { write, was }, { products }) {
  const now = products.get(write.id ?? 0);
  if (!was || !now || !(problem instanceof Problem)) return problem;
  const changed = changedPaths(was, now.content);
  const conflicts = patchedPaths(write.body).filter((path) => changed.some((other) => overlap(path, other)));
  const { kind, message, headers, members } = problem;
  return new Problem(kind, message, { headers, members: { ...members, changed, conflicts } });
}

/** @param {Case} given @param {Difference} difference @param {Content} after @param {State} state @returns {Problem | null} */
function refusalOf({ write, once, taken }, { before }, after, { targets, hasKeys }) {
  const known = { ...once, products: targets, id: write.id ?? 0, mayMake: write.kind === 'upsert' };
  const errors = contentErrors(before, after, known, write.kind === 'rollback');
  if (errors.length > 0) return invalidBody(errors);
  const { styles, skus } = returning(before, after);
  if (styles.length + skus.length > 0 && !hasKeys) throw lacksIndexes();
  if (!taken) return null;
  return new Problem(WRITE_PROBLEMS.conflict, `The ${taken.kind} ${taken.id} belongs to another product by now.`);
}

/** @param {Plan[]} plans @param {State} state @returns {Plan[]} */
function referringPlans(plans, { referring, products }) {
  const deletions = new Map(plans.flatMap(({ change, write }) => (change ? [[change.id, write]] : [])));
  return [...referring].flatMap((id) => {
    const before = products.get(id)?.content;
    const write = before && deletions.get(before.related.find((each) => deletions.has(each)) ?? 0);
    if (!write) return []; // its stored reply is not what its rows say, which `verify` finds
    const after = { ...before, related: before.related.filter((each) => !deletions.has(each)) };
    return { write, isAsked: false, change: { id, before, after, quantities: new Map() } };
  });
}

exports.planGroup = planGroup;
