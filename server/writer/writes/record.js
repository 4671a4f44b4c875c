'use strict';

const { current } = require('./decide');
const { changedPaths } = require('../content/paths');
const { skuKeys } = require('../content/rules');
const { withoutQuantities } = require('../content/rows');
const { equal, shown } = require('../content/shape');
const statements = require('../database/statements');

/** @typedef {import('./write-group').Change} Change @typedef {import('./write-group').Plan} Plan @typedef {import('./write-group').Reply} Reply */
/** @typedef {import('./write-group').State} State @typedef {import('./apply-plan').Written} Written @typedef {import('./decide').Write} Write */
/** @typedef {{ writes: Write[], plans: Plan[], written: Written, state: State }} Group */

const KINDS = { create: 'create', put: 'update', patch: 'update', delete: 'delete', rollback: 'rollback' };

/**
 * Stores revisions and replies, and numbers the commit: the last statement of the transaction.
 * @param {import('../database/transaction').Query} query @param {Group} group
 * @returns {Promise<(Reply | Error)[]>} one for each plan
 */
async function finish(query, group) {
  const { writes, plans, written, state } = group;
  const revisions = plans.flatMap(({ change }) => (change ? revisionsOf(change, group) : []));
  const replies = plans.map((plan, index) => replyTo(writes[index] ?? writes[0], plan, group));
  const requests = unique(plans.flatMap((plan, index) => requestOf(writes[index], plan, replies[index], state)));
  const { era, seq, load_id: loadId } = state.served;
  const [{ cursor }] =
    revisions.length + requests.length > 0
      ? await query(statements.commit, [
          loadId,
          ...changedIds(written),
          JSON.stringify(revisions),
          JSON.stringify(requests),
          seq, // read before the documents were made
        ])
      : [{ cursor: `${era}.${seq}` }];
  return replies.map((reply, index) =>
    reply instanceof Error || plans[index].reply
      ? reply
      : { ...reply, headers: { ...reply.headers, 'Catalog-Cursor': cursor } },
  );
}

/** @param {Pick<Written, 'rebuilt'>} written @returns {number[][]} created, updated, deleted, and those with another card */
function changedIds({ rebuilt }) {
  const of = (/** @type {string} */ wanted) => rebuilt.flatMap(({ id, kind }) => (kind === wanted ? [id] : []));
  const cards = rebuilt.flatMap(({ id, kind, has_card: hasCard }) => (hasCard || kind === 'deleted' ? [id] : []));
  return [of('created'), of('updated'), of('deleted'), cards];
}

/**
 * The revision of a change, after one with what a load had where that is in no revision yet.
 * @param {Change} change @param {Group} group
 */
function revisionsOf({ id, write, isAsked, before, after }, { state, written }) {
  const last = state.last.get(id);
  const isLoaded = before && (!last || (last.is_of_other_load && !equal(last.content, before)));
  const next = (last?.revision ?? 0) + 1;
  const at = state.served.now;
  const loaded = {
    ...{ product_id: id, revision: next, at, kind: 'load', content: before, paths: [] },
    etag: state.found.get(id)?.digest,
  };
  const { actor, onBehalf, reason, requestId } = write.who;
  const own = {
    ...{ product_id: id, revision: isLoaded ? next + 1 : next, at },
    kind: isAsked ? kindOf(write, before) : 'update',
    ...{ actor, on_behalf: onBehalf, reason, request_id: requestId },
    content: after && withoutQuantities(after),
    paths: changedPaths(before, after && withoutQuantities(after)),
    removed: before && removedOf(before, after, written.removed),
    etag: written.now.get(id)?.digest,
  };
  state.last.set(id, { ...own, is_of_other_load: false });
  return isLoaded ? [loaded, own] : [own];
}

/** @param {Write} write @param {Change['before']} before */
const kindOf = ({ kind }, before) => (kind === 'put' && !before ? 'create' : KINDS[kind]);

/** @param {NonNullable<Change['before']>} before @param {Change['after']} after @param {Map<number, number>} quantities */
function removedOf(before, after, quantities) {
  const styles = Object.keys(before.styles).filter((key) => !after?.styles[key]);
  const left = new Set(after ? skuKeys(after).map(([, sku]) => sku) : []);
  const skus = skuKeys(before).flatMap(([, sku]) => (left.has(sku) ? [] : [[sku, quantities.get(Number(sku)) ?? 0]]));
  return styles.length + skus.length > 0 ? { styles: styles.map(Number), skus: Object.fromEntries(skus) } : null;
}

/** @param {Write} write @param {Plan} plan @param {Group} group @returns {Reply | Error} without its cursor */
function replyTo(write, plan, { written, state }) {
  if (plan.problem) return /** @type {Error} */ (plan.problem);
  if (plan.reply) return plan.reply;
  const id = plan.change?.id ?? /** @type {number} */ (write.id);
  const product = plan.change ? written.now.get(id) : state.found.get(id);
  const headers = current(product, state.last.get(id));
  if (!product) return { status: 204, headers, body: '' };
  const body = write.bulk ? JSON.stringify({ id }) : shown(product.own, product.content);
  if (!plan.change || plan.change.before) return { status: 200, headers, body };
  return { status: 201, headers: { ...headers, Location: `/products/${id}` }, body };
}

/** @typedef {{ key_id: string, key: string, fingerprint: string, status: number, headers: Record<string, string>, body: string }} Request */

/** @param {Write | undefined} write undefined: nobody asked @param {Plan} plan @param {Reply | Error} reply @param {State} state @returns {Request[]} */
function requestOf(write, plan, reply, { stored }) {
  if (!write?.idempotency || plan.reply || reply instanceof Error) return [];
  const { who, idempotency, content } = write;
  const { status, headers, body } = reply;
  const own = { key_id: who.keyId, ...idempotency, status, headers, body };
  if (!content || stored.has(`${who.keyId} ${content.key}`)) return [own];
  const { key, fingerprint } = content;
  return [own, { key_id: who.keyId, key, fingerprint, status, headers: {}, body: '' }];
}

/** Lines with the same bytes have one key for them. @param {Request[]} requests */
const unique = (requests) => [...new Map(requests.map((each) => [`${each.key_id} ${each.key}`, each])).values()];

exports.changedIds = changedIds;
exports.finish = finish;
