'use strict';

const { cursorText } = require('../../core/commit-cursor');
const { queryIn } = require('../../http/params/known-names');
const { MAX_INTEGER, parameter, positiveInteger, productId } = require('../../http/params/params');
const { PROBLEMS, Problem, malformedParameter } = require('../../core/errors');
const { exactJson, parseStored } = require('../content/exact');
const { changedPaths, patchBetween } = require('../content/paths');
const { requireRollback } = require('../content/schemas');
const { ordered } = require('../content/shape');
const { WRITE_PROBLEMS, invalidBody } = require('../errors');
const statements = require('../database/statements');
const { requireType, withBody } = require('./body');
const { parseJson } = require('./json');
const { asWrite } = require('./limits');
const { writeOf } = require('./write-headers');

/** @typedef {import('../routes').Parts} Parts @typedef {import('./products').Handler} Handler */

const LIMIT = 50;
const MAX_LIMIT = 200;

/** @param {any} row of revision.sql or revisions.sql @returns {object} with its cursor; that of a load has none */
const shownRevision = ({ revision, kind, at, era, seq, ...rest }) => ({
  revision,
  kind,
  at,
  cursor: seq && cursorText({ era, seq }),
  ...rest,
});

/** @param {object} value */
const json = (value) => ({ status: 200, body: exactJson(value) });

/** @param {Parts} parts @param {number} id @param {number[]} revisions @returns {Promise<any[]>} in this order @throws {Problem} 404 */
async function readRevisions({ database }, id, revisions) {
  const rows = await database.read(statements.revision, [id, revisions]);
  return revisions.map((revision) => {
    const row = rows.find((each) => each.revision === revision);
    if (!row) throw new Problem(WRITE_PROBLEMS.unknownRevision, `Product ${id} has no revision ${revision}.`);
    return { ...shownRevision(row), content: row.content && ordered(parseStored(row.content)) };
  });
}

/** @param {import('express').Request} req @param {string} name */
const numberIn = (req, name) => positiveInteger(String(req.params[name]), name);

/** GET /products/:product_id/revisions?before=&limit= @param {Parts} parts @returns {Handler} */
const revisions = (parts) => async (req) => {
  await parts.keys.require(req, 'history');
  const query = queryIn(req, ['before', 'limit']);
  const [id, limit] = [productId(req), parameter(query, 'limit', MAX_LIMIT) ?? LIMIT];
  const rows = await parts.database.read(statements.revisions, [
    id,
    parameter(query, 'before') ?? MAX_INTEGER,
    limit + 1,
  ]);
  const listed = rows.slice(0, limit);
  if (rows.length === 0 && !query.has('before'))
    throw new Problem(
      PROBLEMS.unknownProduct,
      `Product ${id} has no revision: it was never written, or does not exist.`,
    );
  return json({ revisions: listed.map(shownRevision), before: rows.length > limit ? listed.at(-1).revision : null });
};

/** GET /products/:product_id/revisions/:revision @param {Parts} parts @returns {Handler} */
const revision = (parts) => async (req) => {
  await parts.keys.require(req, 'history');
  const [found] = await readRevisions(parts, productId(req), [numberIn(req, 'revision')]);
  return json(found);
};

/** GET /products/:product_id/revisions/:revision/diff?to= @param {Parts} parts @returns {Handler} */
const diff = (parts) => async (req) => {
  await parts.keys.require(req, 'history');
  const from = numberIn(req, 'revision');
  const to = parameter(queryIn(req, ['to']), 'to');
  if (to === undefined) throw malformedParameter('to is missing: the number of the other revision.');
  const [before, after] = await readRevisions(parts, productId(req), [from, to]);
  const [patch, reverse] = [patchBetween(before.content, after.content), patchBetween(after.content, before.content)];
  return json({ from, to, paths: changedPaths(before.content, after.content), patch, reverse });
};

/** POST /products/:product_id/rollback @param {Parts} parts @returns {Handler} */
const rollback = (parts) => (req, res) =>
  asWrite(parts, req, (key) => {
    const id = productId(req);
    requireType(req, 'application/json');
    return withBody(req, res, { memory: parts.limits.bytes, keyId: key.id }, async (bytes) => {
      const body = /** @type {any} */ (parseJson(bytes));
      requireRollback(body);
      const write = writeOf(req, 'rollback', { id, body: null, bytes, key });
      const reason = body.reason ?? write.who.reason;
      if (!reason) throw invalidBody([{ pointer: '/reason', detail: 'is missing, and so is X-Reason.' }]);
      const [{ content }] = await readRevisions(parts, id, [body.to]);
      if (!content) throw invalidBody([{ pointer: '/to', detail: 'is a deletion. DELETE deletes a product.' }]);
      return parts.add({ ...write, body: content, who: { ...write.who, reason } });
    });
  });

exports.diff = diff;
exports.revision = revision;
exports.revisions = revisions;
exports.rollback = rollback;
