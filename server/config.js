'use strict';

const { bool, cleanEnv, str } = require('envalid');

const { count, dsn, integer, isDsn, ms, origin, port, share, whole } = require('./values');

/** Every setting of a worker: name, default, meaning. server/README.md repeats this table; a test compares them. */
const SETTINGS = {
  HOST: str({ default: '127.0.0.1', desc: 'address of the public listener' }),
  PORT: port({ default: 3030, desc: 'port of the public listener' }),
  ADMIN_HOST: str({
    default: '127.0.0.1',
    desc: 'address of the admin listener; never a public one',
  }),
  ADMIN_PORT: port({ default: 9030, desc: 'port of the admin listener: /livez /readyz /metrics' }),
  DATABASE_URL: dsn({ desc: 'PostgreSQL, role catalog_api' }),
  REPLICA_DATABASE_URL: str({ default: '', desc: 'the nearest replica of it; empty: none' }),
  REPLICA_MAX_LAG_MS: ms({ default: 1000, desc: 'a replica further behind is read last' }),
  REPLICA_HEDGE_MS: ms({ default: 200, desc: 'after this silence the other is asked too' }),
  PG_POOLED: bool({ default: false, desc: 'behind PgBouncer: nothing prepared, no LISTEN' }),
  FLEET_WORKERS: count({ default: 1, desc: 'workers of all nodes: max_connections must do' }),
  REDIS_URL: str({ default: '', desc: 'redis://, rediss:// or unix:///socket; empty: no L2' }),
  LOG_LEVEL: str({
    default: 'info',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    desc: 'least level that is logged',
  }),
  ACCESS_LOG_RATIO: share({ default: 0.001, desc: 'share of requests that get a log line' }),
  CORS_ORIGIN: origin({ default: '*', desc: 'origin that may read: * or one origin' }),
  CACHE_MAX_AGE_SECONDS: whole({ default: 0, desc: 'max-age of Cache-Control; 0: revalidate' }),
  L1_MAX_BYTES: integer(65536)({ default: 25165824, desc: 'bytes of replies held in the process' }),
  L2_TTL_SECONDS: count({ default: 3600, desc: 'life of a Redis value, ± 10 % so none align' }),
  L2_MAX_VALUE_BYTES: count({ default: 262144, desc: 'larger replies are not put in Redis' }),
  GZIP_MIN_BYTES: count({ default: 1024, desc: 'smaller replies are never compressed' }),
  REDIS_KEY_PREFIX: str({ default: 'catalog:', desc: 'put before every Redis key' }),
  REDIS_COMMAND_TIMEOUT_MS: ms({ default: 50, desc: 'a slower command is a miss' }),
  REDIS_CONNECT_TIMEOUT_MS: ms({ default: 500, desc: 'to open a Redis connection' }),
  REDIS_SOCKET_TIMEOUT_MS: ms({ default: 1000, desc: 'silence with commands waiting: reconnect' }),
  REDIS_RECONNECT_MS: ms({
    default: 1000,
    desc: 'pause before a reconnect, plus up to as much jitter',
  }),
  BREAKER_FAILURES: count({ default: 5, desc: 'failures in a row that open the Redis breaker' }),
  BREAKER_OPEN_MS: ms({ default: 1000, desc: 'longest pause before one command tries again' }),
  PG_SHORT_CONNECTIONS: count({ default: 2, desc: 'connections for documents and short pages' }),
  PG_BULK_CONNECTIONS: count({ default: 1, desc: 'connections for long pages' }),
  PG_SHORT_IN_FLIGHT: count({ default: 1000, desc: 'queries a short connection may have waiting' }),
  PG_BULK_ROWS_IN_FLIGHT: count({ default: 40_000, desc: 'rows that may wait on one for pages' }),
  PG_CONNECT_TIMEOUT_MS: ms({ default: 1000, desc: 'to open a database connection' }),
  PG_LOCK_TIMEOUT_MS: ms({ default: 400, desc: 'longest wait for a lock' }),
  PG_STATEMENT_TIMEOUT_MS: ms({ default: 600, desc: 'the server stops a short query' }),
  PG_QUERY_TIMEOUT_MS: ms({ default: 750, desc: 'the worker gives up a short query' }),
  PG_BULK_STATEMENT_TIMEOUT_MS: ms({ default: 8000, desc: 'the server stops a long page' }),
  PG_BULK_QUERY_TIMEOUT_MS: ms({ default: 10000, desc: 'the worker gives up a long page' }),
  PG_KEEPALIVE_DELAY_MS: ms({ default: 10000, desc: 'TCP keep-alive of an idle connection' }),
  VERSION_POLL_MS: ms({ default: 1000, desc: 'data version check, in case a NOTIFY is lost' }),
  EVENT_LOOP_LAG_LIMIT_MS: ms({ default: 250, desc: 'above it misses are shed and /readyz fails' }),
  HTTP_MAX_CONNECTIONS: count({ default: 4096, desc: 'open sockets of the public listener' }),
  HTTP_KEEP_ALIVE_TIMEOUT_MS: ms({
    default: 75000,
    desc: 'longer than the proxy keeps idle sockets',
  }),
  HTTP_HEADERS_TIMEOUT_MS: ms({ default: 10000, desc: 'to receive the headers of a request' }),
  HTTP_REQUEST_TIMEOUT_MS: ms({ default: 15000, desc: 'to receive a whole request' }),
  HTTP_MAX_HEADER_BYTES: count({ default: 16384, desc: 'headers of one request' }),
  READY_WAIT_MS: whole({ default: 3000, desc: 'how long a start waits for the data version' }),
  DRAIN_GRACE_MS: whole({ default: 500, desc: 'answering with Connection: close before closing' }),
  DRAIN_DEADLINE_MS: ms({ default: 10000, desc: 'for what is under way; 2 s later it ends' }),
  OTLP_TRACES_URL: str({ default: '', desc: 'set: traces go there, by OTLP over HTTP' }),
  TRACE_RATIO: share({ default: 0.01, desc: 'share of requests that are traced' }),
  TRACE_MAX_PER_SECOND: whole({ default: 10, desc: 'traced requests a second, at most' }),
  PROFILING: str({ default: 'off', choices: ['off', 'on'], desc: 'on: npm run profile works' }),
  NEW_RELIC_LICENSE_KEY: str({ default: '', desc: 'set: the New Relic agent is loaded' }),
  NEW_RELIC_APP_NAME: str({ default: 'product-catalog', desc: 'its name at New Relic' }),
};

/** Pairs where the first must be smaller: the server stops its query before the worker drops the connection. */
const ORDERED = /** @type {const} */ ([
  ['PG_LOCK_TIMEOUT_MS', 'PG_STATEMENT_TIMEOUT_MS'],
  ['PG_STATEMENT_TIMEOUT_MS', 'PG_QUERY_TIMEOUT_MS'],
  ['PG_BULK_STATEMENT_TIMEOUT_MS', 'PG_BULK_QUERY_TIMEOUT_MS'],
  ['DRAIN_GRACE_MS', 'DRAIN_DEADLINE_MS'],
]);

/** What is wrong with the environment, every problem of it. */
class ConfigError extends Error {}

/** @typedef {Readonly<ReturnType<typeof read>>} Config */

/** @param {NodeJS.ProcessEnv} env @param {string[]} problems */
function read(env, problems) {
  return cleanEnv(env, SETTINGS, {
    reporter: ({ errors }) => {
      for (const [name, error] of Object.entries(errors))
        problems.push(`${name}: ${error?.message || 'is required'} (${descriptionOf(name)})`);
    },
  });
}

/** @param {string} name */
function descriptionOf(name) {
  const spec = /** @type {Record<string, { desc?: string }>} */ (/** @type {unknown} */ (SETTINGS));
  return spec[name]?.desc ?? '';
}

/**
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Config}
 * @throws {ConfigError} one line per problem, so that an operator mends them in one go
 */
function loadConfig(env = process.env) {
  /** @type {string[]} */
  const problems = [];
  const config = read(env, problems);
  for (const [lower, upper] of ORDERED)
    if (config[lower] >= config[upper]) problems.push(`${lower}: must be below ${upper}`);
  // node:http throws at its listener.
  if (config.HTTP_HEADERS_TIMEOUT_MS > config.HTTP_REQUEST_TIMEOUT_MS)
    problems.push('HTTP_HEADERS_TIMEOUT_MS: must not be above HTTP_REQUEST_TIMEOUT_MS');
  if (config.OTLP_TRACES_URL && !/^https?:\/\/./.test(config.OTLP_TRACES_URL))
    problems.push('OTLP_TRACES_URL: must start with http:// or https://');
  if (config.REDIS_URL && !/^(redis|rediss|unix):\/\//.test(config.REDIS_URL))
    problems.push('REDIS_URL: must start with redis://, rediss:// or unix:///');
  if (config.REPLICA_DATABASE_URL && !isDsn(config.REPLICA_DATABASE_URL))
    problems.push('REPLICA_DATABASE_URL: must start with postgres://');
  if (problems.length)
    throw new ConfigError(`The worker does not start. Mend these settings:\n  ${problems.join('\n  ')}`);
  return config;
}

/**
 * The New Relic agent reads the environment by itself, throws without a name, and by default writes a log file into
 * the working folder. Of every request it also looks up in which file its handler stands, which is always the same:
 * a fifth of what the agent costs. What the operator has set stays.
 * @param {Config} config @param {NodeJS.ProcessEnv} [env]
 */
function prepareAgent({ NEW_RELIC_APP_NAME }, env = process.env) {
  const defaults = {
    NEW_RELIC_NO_CONFIG_FILE: 'true',
    NEW_RELIC_LOG: 'stdout',
    NEW_RELIC_LOG_LEVEL: 'warn',
    NEW_RELIC_CODE_LEVEL_METRICS_ENABLED: 'false',
  };
  Object.assign(env, { ...defaults, ...env, NEW_RELIC_APP_NAME });
}

exports.SETTINGS = SETTINGS;
exports.ConfigError = ConfigError;
exports.loadConfig = loadConfig;
exports.prepareAgent = prepareAgent;
