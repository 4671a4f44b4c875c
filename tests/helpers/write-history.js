'use strict';

const { setTimeout: pause } = require('node:timers/promises');

const { until } = require('./app');
const { callerOf } = require('./writer');

/** Between two tries of a client that got no answer, ms. */
const RETRY_MS = 20;
/** These statuses do not say that a write was done, or refused for good. */
const UNKNOWN = new Set([0, 409, 503]);

/** @typedef {{ id: string, invoked: number, answered: number, cursor: string }} Known each moment is a count of all moments, so no two are equal */
/** @typedef {Known & { product: number }} Patch its slogan is the id */
/** @typedef {Known & { set: [sku: number, quantity: number][], adjust: [sku: number, delta: number][], position: number }} Stock */

/**
 * Clients that write until they are stopped, and repeat what was not answered with the same key, as the README tells them. What they know
 * is compared with the log at the end.
 * @param {object} place
 * @param {() => string} place.url of a writer that may be up @param {string} place.key
 * @param {number[]} place.products @param {number[]} place.skus of each a client sets the first half, and adds to the others
 */
function writeHistory({ url, key, products, skus }) {
  const [patches, stock, errors] = [
    /** @type {Patch[]} */ ([]),
    /** @type {Stock[]} */ ([]),
    /** @type {string[]} */ ([]),
  ];
  const state = { stopping: false, number: 0, moment: 0 };
  const half = skus.length >> 1;

  /**
   * @param {string} method @param {string} path @param {unknown} body @param {string} id @param {Record<string, string>} [headers]
   * @returns {Promise<Known & { body: any, status: number }>}
   */
  async function insist(method, path, body, id, headers) {
    const invoked = (state.moment += 1);
    const own = { 'Idempotency-Key': id, 'X-Request-Id': id, ...headers };
    const send = () =>
      callerOf(url(), key)(method, path, body, own).catch(() => ({ status: 0, body: '', headers: new Headers() }));
    for (;;) {
      // Some requests are sent twice at once, as a proxy may do.
      const replies = await Promise.all(state.number % 3 ? [send()] : [send(), send()]);
      const reply = replies.find(({ status }) => !UNKNOWN.has(status));
      const answered = (state.moment += 1);
      if (reply) return { id, invoked, answered, cursor: String(reply.headers.get('catalog-cursor')), ...reply };
      await pause(RETRY_MS);
    }
  }

  /** @param {Known & { body: any, status: number }} reply @returns {boolean} */
  function isDone({ id, status, body }) {
    if (status < 300) return true;
    errors.push(`${id}: ${status} ${JSON.stringify(body)}`);
    return false;
  }

  async function patchOne() {
    const number = (state.number += 1);
    const [id, product] = [`p-${number}`, products[number % products.length]];
    const reply = await insist('PATCH', `/products/${product}`, { slogan: id }, id);
    if (isDone(reply)) patches.push({ ...reply, product });
  }

  async function moveStock() {
    const number = (state.number += 1);
    const id = `s-${number}`;
    /** @type {[number, number][]} */
    const set = [0, 1, 2].map((at) => [skus[(3 * number + at) % half], 10 * number + at]);
    /** @type {[number, number][]} */
    const adjust = [[skus[half + (number % half)], 1]];
    const headers = number % 2 ? { Prefer: 'respond-async' } : undefined;
    const reply = await insist('POST', '/stock', { set, adjust, compare: 'none' }, id, headers);
    if (isDone(reply)) stock.push({ ...reply, set, adjust, position: reply.body.position });
  }

  const repeat = async (/** @type {() => Promise<void>} */ write) => {
    while (!state.stopping) await write();
  };
  const clients = Promise.all(
    [patchOne, patchOne, patchOne, patchOne, moveStock, moveStock, moveStock, moveStock].map(repeat),
  );
  return {
    patches,
    stock,
    errors,
    /** Waits for some more acknowledgements of each kind. @param {number} count */
    async more(count) {
      const goals = [patches.length + count, stock.length + count];
      await until(() => patches.length >= goals[0] && stock.length >= goals[1]);
    },
    async stop() {
      state.stopping = true;
      await clients;
    },
  };
}

/**
 * Follows the feed and resumes behind the last change that it has seen.
 * @param {{ url: () => string, key: string }} place @param {string} after
 */
function followFeed({ url, key }, after) {
  /** @type {any[]} */
  const changes = [];
  const state = { after, stopping: false };
  async function follow() {
    while (!state.stopping) {
      const path = `/changes?after=${state.after}&limit=50`;
      const { status, body } = await callerOf(url(), key)('GET', path, undefined, { Prefer: 'wait=1' }).catch(() => ({
        status: 0,
        body: null,
      }));
      if (status !== 200) await pause(RETRY_MS);
      else {
        changes.push(...body.changes);
        Object.assign(state, { after: body.next });
      }
    }
  }
  const following = follow();
  return {
    changes,
    /** Stops at the end of the feed. @param {string} head ERA.SEQ */
    async stopAt(head) {
      await until(() => changes.some(({ cursor }) => cursor.startsWith(`${head}.`)));
      state.stopping = true;
      await following;
    },
  };
}

module.exports = { followFeed, writeHistory };
