'use strict';
const { default: Sequencer } = require('@jest/test-sequencer');

/** By name, so that security.lab.js searches the logs of the others, and then loads the catalog again. */
module.exports = class extends Sequencer {
  /** @override @param {import('@jest/test-result').Test[]} tests */
  sort(tests) {
    return tests.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }
};
