'use strict';
const { spawnSync } = require('node:child_process');
const { findNode } = require('./scripts/lib/runtime');

// An editor or npx starts Jest with the machine's own Node, which need not be one that the service runs on.
if (findNode() !== process.execPath)
  process.exit(spawnSync(findNode(), process.argv.slice(1), { stdio: 'inherit' }).status ?? 1);

module.exports = {
  // Other folders have the virtual environment and state, with files of other projects.
  roots: ['<rootDir>/tests'],
  testMatch: ['**/*.test.js'],
  // CommonJS runs without Babel, which would take half of a unit test's time and hide syntax that Node does not support.
  transform: {},
  // Servers for a lone file. npm test has started them.
  globalSetup: '<rootDir>/tests/helpers/start-servers.js',
  globalTeardown: '<rootDir>/tests/helpers/stop-servers.js',
  setupFiles: ['<rootDir>/tests/helpers/no-names.js', '<rootDir>/tests/helpers/real-modules.js'],
  // Real servers start inside hooks; on a loaded two-core machine that takes seconds.
  testTimeout: 30_000,
};
