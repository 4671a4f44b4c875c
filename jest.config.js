'use strict';

module.exports = {
  // Other folders have the virtual environment and state, with files of other projects.
  roots: ['<rootDir>/tests'],
  testMatch: ['**/*.test.js'],
  // CommonJS runs without Babel, which would take half of a unit test's time and hide syntax that Node does not support.
  transform: {},
  setupFiles: ['<rootDir>/tests/helpers/no-names.js'],
  // Real servers start inside hooks; on a loaded two-core machine that takes seconds.
  testTimeout: 30_000,
};
