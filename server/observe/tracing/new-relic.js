'use strict';

// Already loaded by index.js, before everything that it patches.
// @ts-expect-error the package has no types
const newrelic = require('newrelic');

const { within } = require('../../core/lifecycle');

/** The agent sends once a minute; it gets sums a little more often. */
const FLUSH_MS = 10000;
const CLOSE_MS = 2000;

/** @typedef {{ readonly reads: number }} L1Reads */

/**
 * Reports what the agent cannot see. It times requests and PostgreSQL by itself; this names its transactions after our routes
 * and adds each query and each tier, under Custom/. They are reported as sums, since a recordMetric for each read
 * would cost more than the read.
 * @param {import('../../core/events').Events} events
 * @param {L1Reads} l1
 * @returns {{ close: () => Promise<void> }}
 */
function reportTimings(events, l1) {
  /** @type {Map<string, { count: number, total: number, min: number, max: number, sumOfSquares: number }>} */
  const sums = new Map();
  /** @param {string} name @param {number} seconds */
  const add = (name, seconds) => {
    let sum = sums.get(name);
    if (!sum) sums.set(name, (sum = { count: 0, total: 0, min: Infinity, max: 0, sumOfSquares: 0 }));
    sum.count += 1;
    sum.total += seconds;
    sum.min = Math.min(sum.min, seconds);
    sum.max = Math.max(sum.max, seconds);
    sum.sumOfSquares += seconds * seconds;
  };
  events.on('replied', (route) => newrelic.setTransactionName(route));
  events.on('repliedAtOnce', (route) => newrelic.setTransactionName(route));
  events.on('queried', (name, _lane, ms) => add(`Query/${name}`, ms / 1000));
  events.on('redisAnswered', (command, ms) => add(`Cache/redis/${command}`, ms / 1000));
  events.on('served', (tier) => add(`Cache/${tier}`, 0));
  events.on('handlerFailed', (error) => newrelic.noticeError(error));

  let reported = 0;
  const flush = () => {
    const count = l1.reads - reported;
    reported = l1.reads;
    if (count) sums.set('Cache/l1', { count, total: 0, min: 0, max: 0, sumOfSquares: 0 });
    for (const [name, sum] of sums) newrelic.recordMetric(name, sum);
    sums.clear();
  };
  const timer = setInterval(flush, FLUSH_MS).unref();
  return {
    async close() {
      clearInterval(timer);
      flush();
      const { promise, resolve } = Promise.withResolvers();
      newrelic.shutdown({ collectPendingData: true, timeout: CLOSE_MS }, resolve);
      await within(promise, CLOSE_MS);
    },
  };
}

exports.reportTimings = reportTimings;
