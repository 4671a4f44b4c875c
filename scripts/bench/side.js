'use strict';
const { execFile } = require('node:child_process');
const path = require('node:path');
const { promisify } = require('node:util');
const { interrupted } = require('./running');
/** @import { Contestant } from './contestants' */

const run = promisify(execFile);
const generator = path.join(__dirname, 'open-load.js');

/** What is asked at a constant rate: where, and how far in its paths it has come. */
class Side {
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
    const { stdout } = await run(process.execPath, [generator, ...words], { signal: interrupted });
    const { next, ...result } = JSON.parse(stdout);
    this.#next = next;
    return result;
  }
}

exports.Side = Side;
