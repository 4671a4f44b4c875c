'use strict';
const { startLoad } = require('../testbed/loadgen/load');
const { interrupted } = require('./running');

const maxConnections = 2000;
const timeoutMs = 5000;

/** @typedef {(rate: number, seconds: number) => Promise<import('./measure').WrkResult>} Send at a constant rate */

/**
 * Requests the paths of a file in turn. Each run continues where the previous one ended.
 * @param {import('./pinned').Server} server @param {string} file
 * @returns {Send}
 */
function trafficTo({ port }, file) {
  let first = 0;
  return async (rate, seconds) => {
    const count = Math.round(rate * seconds);
    const target = { host: '127.0.0.1', port };
    const order = { target, rate, count, inTurn: { file, first }, maxConnections, resend: true, timeoutMs };
    const { ok, p99Ms } = (await (await startLoad(order, interrupted)).ended).all();
    first += count;
    return { rps: rate, p99Ms, errors: count - ok };
  };
}

module.exports = { trafficTo };
