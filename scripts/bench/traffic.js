'use strict';
const { startLoad } = require('../testbed/loadgen/load');
const { interrupted } = require('./running');

const maxConnections = 256;
const timeoutMs = 5000;

/** Requests the paths of a file in turn at constant rates. Each run continues where the previous one ended. */
class Traffic {
  #port;
  #paths;
  #next = 0;

  /** @param {import('./pinned').Server} server @param {string} paths a file */
  constructor({ port }, paths) {
    this.#port = port;
    this.#paths = paths;
  }

  /** @param {number} rate @param {number} seconds @returns {Promise<{ p99Ms: number, errors: number }>} */
  async send(rate, seconds) {
    const count = Math.round(rate * seconds);
    const target = { host: '127.0.0.1', port: this.#port };
    const inTurn = { file: this.#paths, first: this.#next };
    const order = { target, rate, count, inTurn, maxConnections, pooled: true, timeoutMs };
    const { ok, p99Ms } = (await (await startLoad(order, interrupted)).ended).all();
    this.#next += count;
    return { p99Ms, errors: count - ok };
  }
}

exports.Traffic = Traffic;
