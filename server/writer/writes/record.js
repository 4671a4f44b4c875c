'use strict';

const { cursorText } = require('../../core/commit-cursor');
const { exactJson } = require('../content/exact');
const { changedPaths } = require('../content/paths');
const { withoutQuantities } = require('../content/rows');
const { skuKeys } = require('../content/rules');
const { equal, shown } = require('../content/shape');
const statements = require('../database/statements');
const { current, requestKey } = require('./decide');

/** @typedef {import('./types').Plan} Plan @typedef {import('./types').Applied} Applied @typedef {import('./types').State} State */
/** @typedef {import('./types').Change} Change @typedef {import('./types').Write} Write @typedef {import('./types').Reply} Reply */
/** @typedef {import('./types').Content} Content @typedef {import('./types').Request} Request */

/** @type {Record<string, string>} */
const KINDS = {
  create: 'create',
  put: 'update',
  patch: 'update',
  upsert: 'update',
  delete: 'delete',
  rollback: 'rollback',
};

/**
 * The fourth stage: stores revisions and replies, and numbers the commit, with the last statement of the transaction.
 * @param {import('../database/transaction').Query} last @param {Applied} applied @param {State} state
 * @returns {Promise<(Reply | Error)[]>} one for each write
 */
async function record(last, applied, state) {
  const { plans, rebuilt } = applied;
  const revisions = plans.flatMap((plan) => (plan.change ? revisionsOf(plan, plan.change, applied, state) : []));
  const revised = new Map(revisions.map((each) => [each.product_id, each])); // of several, the last
  const asked = plans.filter(({ isAsked }) => isAsked);
  const replies = asked.map((plan) => replyTo(plan, revised, applied, state));
  const requests = unique(asked.flatMap((plan, index) => requestsOf(plan, replies[index], state)));
  const { seq, load_id: loadId } = state.served;
  const [{ cursor }] =
    revisions.length + requests.length > 0
      ? await last(statements.commit, [
          loadId,
          ...changedIds(rebuilt),
          exactJson(revisions),
          JSON.stringify(requests),
          seq, // read before the documents were made
        ])
      : [{ cursor: cursorText(state.served) }];
  return replies.map((reply, index) =>
    reply instanceof Error || asked[index].reply
      ? reply
      : { ...reply, headers: { ...reply.headers, 'Catalog-Cursor': cursor } },
  );
}

/** @param {Applied['rebuilt']} rebuilt @returns {number[][]} created, updated, deleted, and those with another card */
function changedIds(rebuilt) {
  const of = (/** @type {string} */ wanted) => rebuilt.flatMap(({ id, kind }) => (kind === wanted ? [id] : []));
  const cards = rebuilt.flatMap(({ id, kind, has_card: hasCard }) => (hasCard || kind === 'deleted' ? [id] : []));
  return [of('created'), of('updated'), of('deleted'), cards];
}

/**
 * The revision of a change, after one with what a load had where that is in no revision yet.
 * @param {Plan} plan @param {Change} change @param {Applied} applied @param {State} state
 */
function revisionsOf({ write, isAsked }, { id, before, after }, applied, state) {
  const last = state.last.get(id);
  const isLoaded = before && (!last || (last.is_of_other_load && !equal(last.content, before)));
  const next = (last?.revision ?? 0) + 1;
  const at = state.served.now;
  const loaded = {
    product_id: id,
    revision: next,
    at,
    kind: 'load',
    content: before,
    paths: [],
    etag: state.products.get(id)?.digest,
  };
  const { actor, onBehalf, reason, requestId } = write.who;
  const content = after && withoutQuantities(after);
  const own = {
    product_id: id,
    revision: isLoaded ? next + 1 : next,
    at,
    kind: isAsked ? kindOf(write, before) : 'update',
    actor,
    on_behalf: onBehalf,
    reason,
    request_id: requestId,
    content,
    paths: changedPaths(before, content),
    removed: before && removedOf(before, after, applied.removed),
    etag: applied.products.get(id)?.digest,
  };
  return isLoaded ? [loaded, own] : [own];
}

/** @param {Write} write @param {Content | null} before */
const kindOf = ({ kind }, before) => ((kind === 'put' || kind === 'upsert') && !before ? 'create' : KINDS[kind]);

/** @param {Content} before @param {Content | null} after @param {Applied['removed']} quantities */
function removedOf(before, after, quantities) {
  const styles = Object.keys(before.styles).filter((key) => !after?.styles[key]);
  const left = new Set(after ? skuKeys(after).map(([, sku]) => sku) : []);
  const skus = skuKeys(before).flatMap(([, sku]) => (left.has(sku) ? [] : [[sku, quantities.get(Number(sku)) ?? 0]]));
  return styles.length + skus.length > 0 ? { styles: styles.map(Number), skus: Object.fromEntries(skus) } : null;
}

/**
 * @param {Plan} plan @param {ReadonlyMap<number, { revision: number }>} revised @param {Applied} applied @param {State} state
 * @returns {Reply | Error} without its cursor
 */
function replyTo({ write, reply, problem, change }, revised, applied, state) {
  if (problem) return /** @type {Error} */ (problem);
  if (reply) return reply;
  const id = change?.id ?? /** @type {number} */ (write.id);
  const product = change ? applied.products.get(id) : state.products.get(id);
  const headers = current(product, revised.get(id) ?? state.last.get(id));
  if (!product) return { status: 204, headers, body: '' };
  const body = write.bulk ? JSON.stringify({ id }) : shown(product.own, product.content);
  if (!change || change.before) return { status: 200, headers, body };
  return { status: 201, headers: { ...headers, Location: `/products/${id}` }, body };
}

/** @param {Plan} plan @param {Reply | Error} reply @param {State} state @returns {Request[]} */
function requestsOf({ write, reply: repeated }, reply, { stored }) {
  const { who, idempotency, content } = write;
  if (!idempotency || repeated || reply instanceof Error) return [];
  const { status, headers, body } = reply;
  const own = { key_id: who.keyId, ...idempotency, status, headers, body };
  if (!content || stored.has(requestKey(who.keyId, content.key))) return [own];
  const { key, fingerprint } = content;
  return [own, { key_id: who.keyId, key, fingerprint, status, headers: {}, body: '' }];
}

/** Lines with the same bytes have one key for them. @param {Request[]} requests */
const unique = (requests) => [...new Map(requests.map((each) => [requestKey(each.key_id, each.key), each])).values()];

exports.changedIds = changedIds;
exports.record = record;
