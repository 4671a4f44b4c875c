'use strict';
const described = require('./faults.json');
const suites = [
  require('./suites/redis'),
  require('./suites/redis-values'),
  require('./suites/postgres'),
  require('./suites/postgres-limits'),
  require('./suites/disk'),
  require('./suites/workers'),
  require('./suites/clients'),
  require('./suites/hostile'),
  require('./suites/loads'),
  require('./suites/security'),
];

/** @type {import('./run').Runs} */
const runs = Object.assign({}, ...suites.map((suite) => suite.runs));

/** Why a machine cannot make them. @type {Record<string, () => string>} */
const cannot = Object.assign({}, ...suites.map((suite) => ('cannot' in suite ? suite.cannot : {})));

/** Every fault, in the order in which they are made. @type {import('./run').Fault[]} */
const faults = described.map((one) => ({ ...one, run: runs[one.id], cannot: cannot[one.id] }));

module.exports = { faults, runs };
