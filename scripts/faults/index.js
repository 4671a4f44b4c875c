'use strict';
const described = require('./faults.json');
const { clientFaults, needsCores, needsDescriptors } = require('./suites/clients');
const { diskFaults, needsRoot } = require('./suites/disk');
const { hostileFaults } = require('./suites/hostile');
const { loadFaults } = require('./suites/loads');
const { postgresFaults } = require('./suites/postgres');
const { postgresLimitFaults } = require('./suites/postgres-limits');
const { redisFaults } = require('./suites/redis');
const { redisValueFaults } = require('./suites/redis-values');
const { securityFaults } = require('./suites/security');
const { needsHistory, supplyFaults } = require('./suites/supply');
const { telemetryFaults } = require('./suites/telemetry');
const { needsOpenssl, tlsFaults } = require('./suites/tls');
const { workerFaults } = require('./suites/workers');

/** @type {import('./run').Runs} */
const runs = {
  ...redisFaults,
  ...redisValueFaults,
  ...postgresFaults,
  ...postgresLimitFaults,
  ...diskFaults,
  ...workerFaults,
  ...telemetryFaults,
  ...clientFaults,
  ...hostileFaults,
  ...loadFaults,
  ...securityFaults,
  ...supplyFaults,
  ...tlsFaults,
};

/** Why a machine cannot make them. @type {Record<string, () => string>} */
const requirements = {
  ...{ P7: needsRoot, N10: needsCores, F5: needsOpenssl, S3: needsHistory, S7: needsOpenssl },
  ...{ N9a: needsDescriptors(2000), N9b: needsDescriptors(3000), N9d: needsDescriptors(10_000) },
};

/** Every fault, in the order in which they are made. @type {import('./run').Fault[]} */
const faults = described.map((one) => ({ ...one, run: runs[one.id], cannot: requirements[one.id] }));

module.exports = { faults, runs };
