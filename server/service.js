'use strict';

const { setTimeout: pause } = require('node:timers/promises');

const { createAdminServer } = require('./observe/admin-server');
const { gaugesOf } = require('./observe/gauges');
const { createLog, logEvents } = require('./observe/log');
const { createMetrics } = require('./observe/metrics');
const { MissedWords } = require('./observe/missed-words');
const { SearchCounts } = require('./observe/search-counts');
const { L1 } = require('./cache/l1');
const { L2 } = require('./cache/l2');
const { RedisBytes } = require('./cache/redis');
const { Tiers } = require('./cache/tiers');
const { VersionMemory } = require('./cache/version-memory');
const { Batches } = require('./catalog/batches');
const { Catalog } = require('./catalog/catalog');
const { CommitWait } = require('./catalog/commit-wait');
const { createSearches } = require('./catalog/create-searches');
const { Exports } = require('./catalog/exports');
const { LongPages } = require('./catalog/long-pages');
const { Pages } = require('./catalog/pages');
const { shopOf } = require('./catalog/shop');
const { Sitemaps } = require('./catalog/sitemaps');
const { createEvents } = require('./core/events');
const { createHttp } = require('./http/listener/app');
const { healthOf } = require('./core/health');
const { serviceOf } = require('./core/lifecycle');
const { EXPORTS_PER_WORKER, SHORT_PAGE_ROWS, rowsOf } = require('./core/policy');
const { mountRoutes, routeOf } = require('./routes');
const { checkConnections } = require('./store/connection-budget');
const { createStore } = require('./store/servers/create-store');
const { build, createTelemetry } = require('./observe/tracing/create-telemetry');
const { LagGuard } = require('./http/listener/lag-guard');
const { listHeaders } = require('./http/replies/links');

const READY_CHECK_MS = 20;

/**
 * Composition root: makes every part of a worker and joins them. Nothing is connected before open().
 * @param {import('./config/config').Config} config
 */
function createService(config) {
  const log = createLog(config);
  const events = createEvents();
  const state = { draining: false };
  const guard = new LagGuard(config.EVENT_LOOP_LAG_LIMIT_MS);
  const redis = config.REDIS_URL ? new RedisBytes(config, events) : null;
  const l1 = new L1(config.L1_MAX_BYTES);
  const telemetry = createTelemetry({
    config,
    l1,
    events,
    routeOf,
    writeLine: (fields) => log.info(fields, 'request'),
  });
  const store = createStore(config, events, telemetry.comment);
  const { database, version, lanes } = store;
  const { catalog, longPages, searches, tiers } = createReads({ config, events, l1, redis, store, guard, telemetry });
  const commits = new CommitWait({ version, searches });
  const searchCounts = new SearchCounts(new MissedWords(config.SEARCH_MISSED_MINUTES));
  const { http, messages, atOnce } = createHttp({
    config,
    events,
    state,
    catalog,
    commits,
    l1,
    longPages,
    telemetry,
    countSearch: (found) => searchCounts.count(found),
    mountRoutes,
  });
  const health = () => healthOf({ redis, version, database, servers: store.states(), state, guard, searches });
  const gauges = gaugesOf({ config, l1, atOnce, redis, lanes, version, searches, searchCounts, guard, health, build });
  const metrics = createMetrics(events, gauges);
  const admin = createAdminServer({ config, health, metrics, messages, missed: searchCounts.missed });

  const memory = new VersionMemory(redis, version);
  events.on('versionChanged', () => tiers.clear());
  for (const event of /** @type {const} */ (['versionChanged', 'commitsApplied']))
    events.on(event, () => memory.remember());

  /** Waits a while for the data version, and for the connections that are opened after it. */
  async function warmUp() {
    const deadlineMs = performance.now() + config.READY_WAIT_MS;
    while (!(health().ready && store.dialed()) && performance.now() < deadlineMs) await pause(READY_CHECK_MS);
  }

  const countConnections = () => {
    for (const { database } of store.servers) void checkConnections(config, database, events);
  };
  const parts = [
    { name: 'log', open: () => {}, close: logEvents(events, log) },
    telemetry,
    { name: 'event loop guard', open: () => guard.open(), close: () => guard.close() },
    { name: 'redis', open: () => redis?.open(), close: () => redis?.close() },
    store.part,
    { name: 'warm-up', open: warmUp, close: () => {} },
    { name: 'version memory', open: () => memory.open(), close: () => memory.close() },
    { name: 'connection budget', open: countConnections, close: () => {} },
    admin,
    http,
  ];
  return serviceOf({ config, log, events, health }, state, { parts, http, admin });
}

/**
 * The way of a read: the questions of the catalog, through the tiers, to the database.
 * @param {object} parts
 * @param {import('./config/config').Config} parts.config
 * @param {import('./core/events').Events} parts.events
 * @param {L1} parts.l1
 * @param {RedisBytes | null} parts.redis
 * @param {ReturnType<typeof createStore>} parts.store
 * @param {LagGuard} parts.guard
 * @param {ReturnType<typeof createTelemetry>} parts.telemetry
 */
function createReads({ config, events, l1, redis, store: { database, version }, guard, telemetry }) {
  const limits = { ttlMs: config.L2_TTL_SECONDS * 1000, maxValueBytes: config.L2_MAX_VALUE_BYTES };
  const l2 = redis && new L2(redis, { ...limits, events });
  const admit = () => guard.admit();
  const tiers = new Tiers({ l1, l2, admit, events, follow: telemetry.follow });
  const maxRows = config.PG_BULK_ROWS_IN_FLIGHT * config.PG_BULK_CONNECTIONS;
  const { SEARCH_MAX_BYTES: maxBytes, SEARCH_IN_FLIGHT: maxInFlight } = config;
  const longPages = new LongPages({ fromRows: SHORT_PAGE_ROWS + 1, maxRows });
  const countsOf = () => version.lists.counts;
  const pages = new Pages({ database, longPages, rowsOf, annotate: listHeaders, countsOf });
  const shop = shopOf(config);
  const searches = createSearches({ maxBytes, maxInFlight, database, pages, version, events, shop });
  events.on('commitsApplied', () => searches.follow());
  const exported = new Exports({ database, version, admit, places: EXPORTS_PER_WORKER });
  const catalog = new Catalog({
    tiers,
    database,
    pages,
    searches,
    batches: new Batches({ read: (...wanted) => database.batch(...wanted), longPages, rowsOf }),
    skus: new Batches({ read: (...wanted) => database.skus(...wanted), longPages, rowsOf: (count) => count }),
    exported,
    sitemaps: shop && new Sitemaps({ database, version, pages, exported, shop }),
    shop,
    version,
  });
  return { tiers, catalog, longPages, searches };
}

exports.createService = createService;
