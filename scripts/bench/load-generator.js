'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { promisify } = require('node:util');
const { interrupted } = require('./running');
/** @import { Contestant } from './contestants' */

const run = promisify(execFile);
const script = path.join(__dirname, 'open-load.js');

/** Asks one front for its paths in turn, at constant rates: each load goes on where the one before has ended. */
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
    const words = [this.front.port, rate, seconds, this.#paths, this.#next].map(String);
    const { stdout } = await run(process.execPath, [script, ...words], { signal: interrupted });
    const { next, ...result } = JSON.parse(stdout);
    this.#next = next;
    return result;
  }

  /**
   * Asks once for what it has not come to yet. The caches of two sides that have finished the same paths hold the same,
   * however many probes each needed.
   * @param {number} rate
   */
  async finish(rate) {
    const left = fs.readFileSync(this.#paths, 'utf8').trimEnd().split('\n').length - this.#next;
    if (left > 0) await this.load(rate, left / rate);
  }
}

exports.LoadGenerator = LoadGenerator;
