'use strict';

/** What the queries rely on, whatever the server, the database or the role are set to. db/roles.sql sets the same for sessions behind a pooler. */
const SESSION = Object.freeze({
  // A function of another schema could hide one of PostgreSQL's own.
  search_path: 'pg_catalog',
  // A replica refuses serializable.
  default_transaction_isolation: 'read committed',
  // A connection waits for requests for as long as there are none.
  idle_session_timeout: '0',
  // A replica refuses LISTEN: an error that is expected (servers/watcher.js).
  exit_on_error: 'off',
  // Notices travel with each answer, and nothing here reads them.
  client_min_messages: 'warning',
  // One plan for every page, not compiled: db/roles.sql says why.
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
});

/**
 * What every pg connection of this service is told: pg itself has no timeout at all by default.
 * @param {import('../config/config').Config} config
 * @param {'short' | 'bulk' | 'version'} lane also its application_name, to be found in pg_stat_activity
 */
function connectionOptions(config, lane) {
  const isLong = lane === 'bulk';
  return {
    connectionString: config.DATABASE_URL,
    application_name: `catalog-${lane}`,
    connectionTimeoutMillis: config.PG_CONNECT_TIMEOUT_MS,
    ...(config.PG_POOLED ? {} : ofSession(config, isLong)),
    query_timeout: isLong ? config.PG_BULK_QUERY_TIMEOUT_MS : config.PG_QUERY_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: config.PG_KEEPALIVE_DELAY_MS,
  };
}

/**
 * Sent when connecting, which a pooler refuses: behind one the role's own settings hold (db/roles.sql).
 * @param {import('../config/config').Config} config @param {boolean} isLong
 */
const ofSession = (config, isLong) => ({
  lock_timeout: config.PG_LOCK_TIMEOUT_MS,
  statement_timeout: isLong ? config.PG_BULK_STATEMENT_TIMEOUT_MS : config.PG_STATEMENT_TIMEOUT_MS,
  options: Object.entries(SESSION)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' '),
});

exports.SESSION = SESSION;
exports.connectionOptions = connectionOptions;
