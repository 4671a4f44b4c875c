'use strict';

/**
 * What every pg connection of this service is told: pg itself has no timeout at all by default.
 * @param {import('../config').Config} config
 * @param {'short' | 'bulk' | 'version'} lane also its application_name, to be found in pg_stat_activity
 */
function connectionOptions(config, lane) {
  const bulk = lane === 'bulk';
  return {
    connectionString: config.DATABASE_URL,
    application_name: `catalog-${lane}`,
    connectionTimeoutMillis: config.PG_CONNECT_TIMEOUT_MS,
    ...(config.PG_POOLED ? {} : serverLimits(config, bulk)),
    query_timeout: bulk ? config.PG_BULK_QUERY_TIMEOUT_MS : config.PG_QUERY_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: config.PG_KEEPALIVE_DELAY_MS,
  };
}

/**
 * Sent when connecting, which a pooler refuses: behind one the role's own limits hold (db/roles.sql).
 * @param {import('../config').Config} config @param {boolean} bulk
 */
const serverLimits = (config, bulk) => ({
  lock_timeout: config.PG_LOCK_TIMEOUT_MS,
  statement_timeout: bulk ? config.PG_BULK_STATEMENT_TIMEOUT_MS : config.PG_STATEMENT_TIMEOUT_MS,
});

exports.connectionOptions = connectionOptions;
