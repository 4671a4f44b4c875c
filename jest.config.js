'use strict';

module.exports = {
  // Elsewhere lie the virtual environment and state folders, full of files that are not ours.
  roots: ['<rootDir>/tests'],
  testMatch: ['**/*.test.js'],
  // CommonJS runs as it is: Babel would take half of a unit test's time, and hide a syntax that Node does not know.
  transform: {},
  setupFiles: ['<rootDir>/tests/helpers/no-names.js'],
  // Real servers start inside hooks; on a loaded two-core machine that takes seconds.
  testTimeout: 30_000,
};
