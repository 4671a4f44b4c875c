'use strict';
const fs = require('node:fs');
const { startLoad } = require('../testbed/loadgen/load');
const { interrupted } = require('./running');
/** @import { Contestant } from './contestants' */

const connections = 256;
const timeoutMs = 5000;

/** Requests the paths of one front in turn, at constant rates: each load resumes where the one before ended. */
class LoadGenerator {
  #paths;
  #next = 0;

  /** @param {string} name @param {Contestant} front @param {string} paths */
  constructor(name, front, paths) {
    this.name = name;
    this.front = front;
    this.#paths = paths;
  }

  /** @param {number} rate @param {number} seconds @returns {Promise<{ p99Ms: number, errors: number }>} */
  async load(rate, seconds) {
    const count = Math.round(rate * seconds);
    const target = { host: '127.0.0.1', port: this.front.port };
    const inTurn = { file: this.#paths, first: this.#next };
    const order = { target, rate, count, inTurn, maxConnections: connections, pooled: true, timeoutMs };
    const { ok, p99Ms } = (await (await startLoad(order, interrupted)).ended).all();
    this.#next += count;
    return { p99Ms, errors: count - ok };
  }

  /**
   * Requests once what is left. The caches of two sides that have finished the same paths hold the same,
   * however many probes each needed.
   * @param {number} rate
   */
  async finish(rate) {
    const left = fs.readFileSync(this.#paths, 'utf8').trimEnd().split('\n').length - this.#next;
    if (left > 0) await this.load(rate, left / rate);
  }
}

exports.LoadGenerator = LoadGenerator;
