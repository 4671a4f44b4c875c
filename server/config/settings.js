'use strict';

const { bool, str } = require('envalid');

const { UPSTREAM_IDLE_SECONDS, WORKER_HEAP_MB } = require('../core/policy');
const {
  count,
  country,
  currency,
  dsn,
  host,
  httpUrl,
  integer,
  ms,
  name,
  origin,
  paths,
  port,
  productUrl,
  ratio,
  redisUrl,
  whole,
} = require('./values');

// The process manager waits longer than these may take (tests/scripts/local/ecosystem.test.js).
const readyMs = integer(0, 8000);
const drainMs = integer(1, 25_000);

// The other half of the heap is for all else that a worker does.
const l1MaxMb = WORKER_HEAP_MB / 2;
const l1Bytes = integer(65536, l1MaxMb * 2 ** 20);
const searchBytes = integer(1_048_576, 128 * 2 ** 20);
const leastKeepAliveMs = (UPSTREAM_IDLE_SECONDS + 5) * 1000;
const keepAliveMs = integer(leastKeepAliveMs);
// Jitter doubles it, and a timer takes no more.
const reconnectMs = integer(1, 2 ** 30 - 1);

/** Every setting of a worker: name, kind, default, meaning. server/README.md repeats this table; a test compares them. */
const SETTINGS = {
  HOST: host({ default: 'localhost', desc: 'address of the public listener; localhost: 127.0.0.1 and ::1' }),
  PORT: port({ default: 3030, desc: 'port of the public listener' }),
  ADMIN_HOST: host({
    default: 'localhost',
    desc: 'address of the admin listener, as HOST; never a public one',
  }),
  ADMIN_PORT: port({ default: 9030, desc: 'port of the admin listener: /livez /readyz /metrics' }),
  DATABASE_URL: dsn({ desc: 'PostgreSQL, role catalog_api: a server, or all with commas between, nearest first' }),
  REPLICA_MAX_LAG_MS: ms({ default: 1000, desc: 'a replica further behind is read last' }),
  REPLICA_HEDGE_MS: ms({ default: 200, desc: 'after this silence the next server is queried too' }),
  PG_POOLED: bool({ default: false, desc: 'behind PgBouncer: nothing prepared, no LISTEN' }),
  REDIS_URL: redisUrl({ default: '', desc: 'redis://, rediss:// or unix:///socket; empty: no L2' }),
  LOG_LEVEL: str({
    default: 'info',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    desc: 'lowest level that is logged',
  }),
  ACCESS_LOG_RATIO: ratio({ default: 0.001, desc: 'share of requests that get a log line' }),
  CORS_ORIGIN: origin({
    default: '*',
    desc: 'origin that may read: * or one origin (problems of nginx, which hold no data: any)',
  }),
  CACHE_MAX_AGE_SECONDS: whole({ default: 10, desc: 'max-age of a JSON reply: browsers and CDNs send no request' }),
  CACHE_STALE_SECONDS: whole({
    default: 60,
    desc: 'its stale-while-revalidate: shown while renewed; 0: must-revalidate',
  }),
  CACHE_TAGS: str({ default: 'off', choices: ['off', 'on'], desc: 'on: Surrogate-Key and Cache-Tag, to purge a CDN' }),
  SHOP_NAME: str({ default: '', desc: 'with the next two: sitemaps, JSON-LD, UCP, shop in /catalog' }),
  SHOP_CURRENCY: currency({ default: '', desc: 'ISO 4217, as EUR' }),
  SHOP_PRODUCT_URL: productUrl({ default: '', desc: 'page of a product, as https://shop.example/p/{slug}-{id}' }),
  SHOP_COUNTRY: country({ default: '', desc: 'ISO 3166, as DE: for the feed of OpenAI' }),
  L1_MAX_BYTES: l1Bytes({ default: 25165824, desc: `bytes of replies held in the process; at most ${l1MaxMb} MB` }),
  L2_TTL_SECONDS: count({ default: 3600, desc: 'life of a Redis value, ± 10 % so none align' }),
  L2_MAX_VALUE_BYTES: count({ default: 262144, desc: 'larger replies are not put in Redis' }),
  GZIP_MIN_BYTES: count({ default: 1024, desc: 'smaller replies are never compressed' }),
  REDIS_KEY_PREFIX: str({ default: 'catalog:', desc: 'put before every Redis key' }),
  REDIS_COMMAND_TIMEOUT_MS: ms({ default: 50, desc: 'a slower command is a miss' }),
  REDIS_CONNECT_TIMEOUT_MS: ms({ default: 500, desc: 'to open a Redis connection' }),
  REDIS_SOCKET_TIMEOUT_MS: ms({ default: 1000, desc: 'silence with commands waiting: reconnect' }),
  REDIS_RECONNECT_MS: reconnectMs({
    default: 1000,
    desc: 'pause before a reconnect, plus up to as much jitter',
  }),
  BREAKER_FAILURES: count({ default: 5, desc: 'failures in a row that open the Redis breaker' }),
  BREAKER_OPEN_MS: ms({ default: 1000, desc: 'longest pause before one command tries again' }),
  PG_SHORT_CONNECTIONS: count({ default: 2, desc: 'connections for documents and short pages' }),
  PG_BULK_CONNECTIONS: count({ default: 1, desc: 'connections for long pages' }),
  PG_SHORT_IN_FLIGHT: count({ default: 1000, desc: 'queries a short connection may have waiting' }),
  PG_BULK_ROWS_IN_FLIGHT: count({ default: 40_000, desc: 'rows of long pages under way on one, until they are sent' }),
  PG_SEARCH_IN_FLIGHT: count({ default: 200, desc: 'queries of searches that may be waiting' }),
  SEARCH_IN_FLIGHT: count({ default: 100, desc: 'searches under way in a worker; further ones are refused' }),
  SEARCH_MAX_BYTES: searchBytes({ default: 16777216, desc: 'bytes of product sets held for searches; at most 128 MB' }),
  SEARCH_MISSED_MINUTES: count({
    default: 5,
    desc: 'the text of a missed word is kept from so many different minutes on',
  }),
  PG_CONNECT_TIMEOUT_MS: ms({ default: 1000, desc: 'to open a database connection' }),
  PG_LOCK_TIMEOUT_MS: ms({ default: 1300, desc: 'longest wait for a lock' }),
  PG_STATEMENT_TIMEOUT_MS: ms({ default: 1400, desc: 'the server stops a short query' }),
  PG_QUERY_TIMEOUT_MS: ms({ default: 1500, desc: 'the worker gives up a short query' }),
  PG_BULK_STATEMENT_TIMEOUT_MS: ms({ default: 8000, desc: 'the server stops a long page' }),
  PG_BULK_QUERY_TIMEOUT_MS: ms({ default: 10000, desc: 'the worker gives up a long page' }),
  PG_KEEPALIVE_DELAY_MS: ms({ default: 10000, desc: 'TCP keep-alive of an idle connection' }),
  VERSION_POLL_MS: ms({ default: 250, desc: 'data version check, in case a NOTIFY is lost' }),
  EVENT_LOOP_LAG_LIMIT_MS: ms({ default: 250, desc: 'above it misses are shed and /readyz fails' }),
  HTTP_MAX_CONNECTIONS: count({ default: 4096, desc: 'open sockets of the public listener' }),
  HTTP_KEEP_ALIVE_TIMEOUT_MS: keepAliveMs({
    default: 75000,
    desc: `longer than the proxy keeps idle sockets; at least ${leastKeepAliveMs}`,
  }),
  HTTP_HEADERS_TIMEOUT_MS: ms({ default: 10000, desc: 'to receive the headers of a request' }),
  HTTP_REQUEST_TIMEOUT_MS: ms({ default: 15000, desc: 'to receive a whole request' }),
  HTTP_MAX_HEADER_BYTES: count({ default: 19_456, desc: 'headers of one request' }),
  READY_WAIT_MS: readyMs({ default: 3000, desc: 'how long a start waits for PostgreSQL; at most 8000' }),
  DRAIN_GRACE_MS: whole({ default: 500, desc: 'answering with Connection: close before closing' }),
  DRAIN_DEADLINE_MS: drainMs({ default: 10000, desc: 'for what is under way; 2 s later it ends; at most 25000' }),
  DISK_PATHS: paths({ default: '', desc: 'paths of file systems that /metrics reports, /a:/b; empty: its own folder' }),
  OTLP_TRACES_URL: httpUrl({ default: '', desc: 'set: traces go there, by OTLP over HTTP' }),
  TRACE_RATIO: ratio({ default: 0.01, desc: 'share of requests that are traced' }),
  TRACE_MAX_PER_SECOND: whole({ default: 10, desc: 'traced requests a second, at most' }),
  PROFILING: str({ default: 'off', choices: ['off', 'on'], desc: 'on: npm run profile works' }),
  NEW_RELIC_LICENSE_KEY: str({ default: '', desc: 'set: the New Relic agent is loaded' }),
  NEW_RELIC_APP_NAME: name({ default: 'product-catalog', desc: 'its name at New Relic' }),
};

exports.SETTINGS = SETTINGS;
