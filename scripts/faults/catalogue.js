'use strict';
const { clientFaults } = require('./rows/clients');
const { descriptorFaults } = require('./rows/descriptors');
const { diskFaults } = require('./rows/disk');
const { failoverFaults } = require('./rows/failover');
const { hostileFaults } = require('./rows/hostile');
const { loadFaults } = require('./rows/loads');
const { nginxFaults } = require('./rows/nginx');
const { overloadFaults } = require('./rows/overload');
const { postgresFaults } = require('./rows/postgres');
const { contentionFaults } = require('./rows/postgres-contention');
const { redisFaults } = require('./rows/redis');
const { redisAnswerFaults } = require('./rows/redis-answers');
const { redisValueFaults } = require('./rows/redis-values');
const { securityFaults } = require('./rows/security');
const { supplyFaults } = require('./rows/supply');
const { telemetryFaults } = require('./rows/telemetry');
const { tlsFaults } = require('./rows/tls');
const { workerFaults } = require('./rows/workers');

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
  ...overloadFaults,
  ...loadFaults,
  ...securityFaults,
  ...supplyFaults,
  ...tlsFaults,
];

module.exports = { catalogue };
