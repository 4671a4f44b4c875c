'use strict';
const { TestEnvironment } = require('jest-environment-node');

/**
 * @typedef {object} Lab
 * @property {import('./testbed/rig').Rig} [rig] of faults
 * @property {import('./machines/use-machines').Place} [place] of machines
 * @property {(line: string) => void} [say] reports each test at once: Jest reports a file when it ends
 * @property {boolean} [failed] a test has failed
 */

/** Gives each file what the command has opened in the same process. */
module.exports = class extends TestEnvironment {
  /** @type {Lab | undefined} */
  static lab;

  get #lab() {
    const { lab } = /** @type {typeof import('./environment')} */ (this.constructor);
    if (!lab) throw new Error('only npm run faults and fleet:test start these tests: they open what the tests need');
    return lab;
  }

  /** @override */
  async setup() {
    await super.setup();
    this.global.lab = this.#lab;
  }

  /** @param {import('@jest/types').Circus.Event} event */
  handleTestEvent(event) {
    if (event.name === 'hook_failure') this.#lab.failed = true;
    if (event.name !== 'test_done') return;
    const isFine = event.test.errors.length === 0;
    if (!isFine) this.#lab.failed = true;
    this.#lab.say?.(`${isFine ? 'ok  ' : 'FAIL'}  ${event.test.name}`);
  }
};
