'use strict';
const { once } = require('node:events');
const path = require('node:path');
const { Worker } = require('node:worker_threads');

const { Observed } = require('./observed');
/** @import { Order } from './generator' */

/**
 * Starts a constant load in a thread of its own.
 * @param {Order} order
 * @param {AbortSignal} [signal] ends it without a result
 */
async function startLoad(order, signal) {
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(path.join(__dirname, 'generator.js'), { workerData: { order, sent } });
  /** Rejects with the error of the thread. */
  const ended = once(thread, 'message', { signal })
    .then(([{ samples, failures }]) => new Observed(samples, failures))
    .finally(() => thread.terminate());
  ended.catch(() => {});
  await Promise.race([once(thread, 'online', { signal }), ended]);
  return {
    /** Requests so far. */
    get sent() {
      return Atomics.load(sent, 0);
    },
    /** An order with a count ends when all are answered. */
    ended,
    /** Waits for the outstanding replies. @returns {Promise<Observed>} */
    stop() {
      thread.postMessage('stop');
      return ended;
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof startLoad>>} Load */

exports.startLoad = startLoad;
