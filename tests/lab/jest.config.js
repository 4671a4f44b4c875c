'use strict';

/** Only `npm run faults` starts these tests: they need its rig. */
module.exports = {
  rootDir: __dirname,
  testMatch: ['**/*.lab.js'],
  testEnvironment: './environment.js',
  testSequencer: './sequencer.js',
  transform: {},
  testTimeout: 30 * 60_000,
  verbose: true,
};
