'use strict';

/** Only the commands of this folder start these tests: they open what the tests need (run-lab.js). */
module.exports = {
  rootDir: __dirname,
  testMatch: ['**/*.lab.js'],
  testEnvironment: './environment.js',
  testSequencer: './sequencer.js',
  setupFiles: ['<rootDir>/../helpers/real-modules.js'],
  transform: {},
  verbose: true,
};
