'use strict';

const { PROBLEMS, Problem } = require('../../core/errors');
const { digestsIn } = require('../../http/replies/validators');
const { changedPaths, overlap, patchedPaths } = require('../content/paths');
const { ordered } = require('../content/shape');
const statements = require('../database/statements');

/** @typedef {import('../database/transaction').Query} Query @typedef {import('./write-group').Plan} Plan @typedef {import('./write-group').State} State */

/**
 * Names in the problem of a patch that came too late what others have changed since its ETag, and what of that it changes too. A client
 * whose patch is in no conflict repeats it with the current ETag. Nothing is named where no revision has that ETag.
 * @param {Query} query @param {import('./decide').Write[]} writes @param {Plan[]} plans @param {State} state
 */
async function nameConflicts(query, writes, plans, { found }) {
  for (const [index, { problem }] of plans.entries()) {
    const { kind, id, ifMatch, body } = writes[index];
    const now = found.get(id ?? 0);
    if (kind !== 'patch' || !now || !ifMatch) continue;
    if (!(problem instanceof Problem) || problem.kind !== PROBLEMS.preconditionFailed) continue;
    const [was] = await query(statements.tagged, [id, digestsIn(ifMatch)]);
    if (!was) continue;
    const changed = changedPaths(ordered(was.content), now.content);
    const conflicts = patchedPaths(body).filter((path) => changed.some((other) => overlap(path, other)));
    Object.assign(problem.members, { changed, conflicts });
  }
}

exports.nameConflicts = nameConflicts;
