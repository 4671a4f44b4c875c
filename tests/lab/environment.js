'use strict';
const { TestEnvironment } = require('jest-environment-node');

/** Gives each file the one rig, which faults.js opens in the same process. */
module.exports = class extends TestEnvironment {
  /** @type {import('./testbed/rig').Rig | undefined} */
  static rig;

  /** @override */
  async setup() {
    await super.setup();
    this.global.rig = /** @type {typeof import('./environment')} */ (this.constructor).rig;
    if (!this.global.rig) throw new Error('only npm run faults starts these tests: it has the rig that they need');
  }
};
