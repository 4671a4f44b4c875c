'use strict';
const { clientFaults } = require('./families/clients');
const { descriptorFaults } = require('./families/descriptors');
const { diskFaults } = require('./families/disk');
const { failoverFaults } = require('./families/failover');
const { hostileFaults } = require('./families/hostile');
const { loadFaults } = require('./families/loads');
const { nginxFaults } = require('./families/nginx');
const { overloadFaults } = require('./families/overload');
const { postgresFaults } = require('./families/postgres');
const { contentionFaults } = require('./families/postgres-contention');
const { redisFaults } = require('./families/redis');
const { redisAnswerFaults } = require('./families/redis-answers');
const { redisValueFaults } = require('./families/redis-values');
const { securityFaults } = require('./families/security');
const { smugglingFaults } = require('./families/smuggling');
const { supplyFaults } = require('./families/supply');
const { telemetryFaults } = require('./families/telemetry');
const { tlsFaults } = require('./families/tls');
const { workerFaults } = require('./families/workers');

/** Every fault, in the order in which they are made. */
const catalogue = [
  ...redisFaults,
  ...redisAnswerFaults,
  ...redisValueFaults,
  ...postgresFaults,
  ...contentionFaults,
  ...failoverFaults,
  ...diskFaults,
  ...workerFaults,
  ...descriptorFaults,
  ...nginxFaults,
  ...telemetryFaults,
  ...clientFaults,
  ...hostileFaults,
  ...smugglingFaults,
  ...overloadFaults,
  ...loadFaults,
  ...securityFaults,
  ...supplyFaults,
  ...tlsFaults,
];

module.exports = { catalogue };
