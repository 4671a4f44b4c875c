'use strict';

const { PROBLEMS, Problem } = require('../../core/errors');
const { positiveInteger } = require('../../http/params/params');
const { requireQuantity, requireStock } = require('../content/schemas');
const { WRITE_PROBLEMS, invalidBody, preconditionRequired } = require('../errors');
const { operationsOf } = require('../stock/operations');
const { requireType, withBody } = require('./body');
const { parseJson } = require('./json');
const { preference } = require('./prefer');
const { idempotencyOf } = require('./write-headers');

/** @typedef {import('../routes').Parts} Parts @typedef {import('./products').Handler} Handler @typedef {import('./write-reply').Answer} Answer */
/** @typedef {import('../stock/stock').Outcome} Outcome @typedef {import('../stock/operations').StockBody} StockBody */

const MAX_OPERATIONS = 10_000;
const POSITION = /^[1-9][0-9]{0,14}$/;

/** POST /stock @param {Parts} parts @returns {Handler} */
const stock = (parts) => async (req, res) => {
  const outcome = await logged(parts, req, res, readStock);
  return outcome.applied ? appliedReply(outcome) : loggedReply(req, outcome);
};

/** PUT /skus/:sku_id/quantity @param {Parts} parts @returns {Handler} */
const quantity = (parts) => async (req, res) => {
  const sku = positiveInteger(String(req.params.sku_id), 'sku_id');
  let wanted = 0;
  const outcome = await logged(parts, req, res, (body) => {
    wanted = body?.quantity;
    return readQuantity(body, sku);
  });
  const { applied } = outcome;
  if (!applied) return loggedReply(req, outcome);
  const [rejected] = applied.rejected;
  // As a repeat of one that was done finds it. A PUT says what is to be there, and it is.
  const isThere = rejected?.reason === 'not-as-expected' && rejected.quantity === wanted;
  if (rejected && !isThere) throw refusal(rejected);
  return appliedReply({ ...outcome, applied: { ...applied, rejected: [] } });
};

/** GET /writes/:position @param {Parts} parts @returns {Handler} */
const write = (parts) => async (req) => {
  await parts.keys.require(req, 'stock');
  const text = String(req.params.position);
  const outcome = POSITION.test(text) ? await parts.stock.read(Number(text)) : null;
  if (!outcome)
    throw new Problem(WRITE_PROBLEMS.unknownWrite, 'No logged operation has this position, or none any more.');
  const { position, operations, applied } = outcome;
  const [state, rejected] = applied ? ['applied', applied.rejected] : ['logged', []];
  return { status: 200, body: JSON.stringify({ position, operations, state, rejected }) };
};

/**
 * @param {Parts} parts @param {import('express').Request} req @param {import('express').Response} res
 * @param {(body: any) => StockBody} read @returns {Promise<Outcome>}
 */
async function logged({ keys, stock: { memory, write: log } }, req, res, read) {
  const key = await keys.require(req, 'stock');
  requireType(req, 'application/json');
  return withBody(req, res, { memory, keyId: key.id }, (bytes) => {
    const body = read(parseJson(bytes));
    const idempotency = idempotencyOf(req, bytes);
    if (body.adjust && !idempotency)
      throw preconditionRequired('Send an Idempotency-Key, so that a repeat adjusts nothing twice.');
    const request = { ...operationsOf(body), keyId: key.id, actor: key.name, idempotency };
    return log(request, !isAsync(req));
  });
}

/** @param {import('express').Request} req */
const isAsync = (req) => preference(req, 'respond-async') !== null;

/** @param {any} body @returns {StockBody} @throws {Problem} 422 */
function readStock(body) {
  requireStock(body);
  const { set = [], adjust = [], compare } = body;
  const count = set.length + adjust.length;
  if (count === 0 || count > MAX_OPERATIONS)
    throw invalidBody([{ pointer: '', detail: `has ${count} operations. Send 1 to ${MAX_OPERATIONS}.` }]);
  const blind = compare ? -1 : set.findIndex((/** @type {number[]} */ { length }) => length < 3);
  if (blind >= 0) throw isBlind(`/set/${blind}`);
  return body;
}

/** @param {any} body @param {number} sku @returns {StockBody} @throws {Problem} 422 */
function readQuantity(body, sku) {
  requireQuantity(body);
  const { quantity: wanted, was, compare } = body;
  if (was === undefined && !compare) throw isBlind('');
  return { set: [was === undefined ? [sku, wanted] : [sku, wanted, was]] };
}

/** @param {string} pointer */
const isBlind = (pointer) =>
  invalidBody([
    { pointer, detail: 'lacks the quantity that you expect there. "compare":"none" sets it whatever is there.' },
  ]);

/** @param {Outcome} outcome @returns {Answer} */
function appliedReply({ position, operations, applied }) {
  const { cursor, rejected } = /** @type {NonNullable<Outcome['applied']>} */ (applied);
  const body = JSON.stringify({ position, operations, rejected });
  return { status: 200, headers: { 'Catalog-Cursor': cursor }, body };
}

/** Also of a client that would have waited: applying takes long, but what is logged will be done. @param {import('express').Request} req @param {Outcome} outcome @returns {Answer} */
function loggedReply(req, { position, operations }) {
  const headers = {
    Location: `/writes/${position}`,
    ...(isAsync(req) && { 'Preference-Applied': 'respond-async' }),
  };
  return { status: 202, headers, body: JSON.stringify({ position, operations }) };
}

/** @param {import('../stock/stock').Rejected} rejected @returns {Problem} */
const refusal = ({ sku, reason, quantity: found }) =>
  reason === 'unknown-sku'
    ? new Problem(PROBLEMS.unknownSku, `There is no sku ${sku} in the catalog.`)
    : new Problem(WRITE_PROBLEMS.conflict, `The quantity of sku ${sku} is ${found}, not what you expect.`, {
        members: { quantity: found },
      });

exports.quantity = quantity;
exports.stock = stock;
exports.write = write;
