'use strict';

/** The queries rely on these, whatever the settings of server, database or role. db/roles.sql sets the same for sessions behind a pooler. */
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
  // One plan for every page, not compiled: see db/roles.sql.
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
});

/** Lanes whose statements may take longer. */
const LONG = ['bulk', 'search', 'stock-apply', 'stock-build', 'hooks'];

/**
 * Options of every pg connection: pg itself has no timeouts by default.
 * @param {import('../config/config').Config} config
 * @param {'short' | 'bulk' | 'search' | 'version' | 'write' | 'write-read' | 'stock-append' | 'stock-apply' | 'stock-build' | 'hooks'} lane also in its application_name, to find it in pg_stat_activity; `bulk` is the public name of the long lane
 */
function connectionOptions(config, lane) {
  const isLong = LONG.includes(lane);
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
 * Sent when connecting. A pooler refuses them: behind one the role's own settings apply (db/roles.sql).
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
