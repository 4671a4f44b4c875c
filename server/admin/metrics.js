'use strict';

const { Registry, collectDefaultMetrics } = require('prom-client');

const { EVENTS } = require('../events');
const { showGauges } = require('./gauges');
const { histogram, tally } = require('./tally');

const WAIT_BOUNDS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** Close together where the budget lies (10 ms), so that a p99 read from them is off by a third at most. */
const DURATION_BOUNDS_SECONDS = [
  0.0005, 0.001, 0.0015, 0.002, 0.003, 0.004, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075,
  0.1, 0.2, 0.5, 1, 2, 5, 10,
];

/** Queries on a connection are answered in order, so these are what one waits for. */
const AHEAD_BOUNDS = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000];

/**
 * Counts events. A hot reply only adds to a number here; labels are put together when someone scrapes.
 * @param {import('../events').Events} events
 * @param {import('./gauges').Gauges} gauges
 * @returns {Registry}
 */
function createMetrics(events, gauges) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  countReplies(events, registry);
  countReads(events, registry);
  timeBackends(events, registry);
  countEvents(events, registry);
  showGauges(gauges, registry);
  return registry;
}

/**
 * A reply that waited for nothing was written in the turn of the event loop that read the request: it
 * counts as 0 s, in the lowest bucket, without a look at the clock. What it waited for that turn is the
 * event loop's lag.
 * @param {import('../events').Events} events @param {Registry} registry
 */
function countReplies(events, registry) {
  const label = 'route';
  const waited = histogram(registry, {
    name: 'catalog_reply_wait_seconds',
    help: 'Time replies waited for Redis, the database or a compression; L1 hits do not wait',
    ...{ label, bounds: WAIT_BOUNDS_SECONDS },
  });
  const duration = histogram(registry, {
    name: 'catalog_request_duration_seconds',
    help: 'Time from a request to its reply, failed ones included; L1 hits count as 0',
    ...{ label, bounds: DURATION_BOUNDS_SECONDS },
  });
  const replies = tally(registry, 'catalog_replies_total', 'Replies', ['route', 'status']);
  const failures = tally(registry, 'catalog_failed_requests_total', 'Reads that failed', ['route']);
  events.on(EVENTS.replied, (route, status, waitedMs) => {
    replies(route, status);
    if (status < 400) duration(route, waitedMs / 1000);
    if (waitedMs > 0) waited(route, waitedMs / 1000);
  });
  events.on(EVENTS.readFailed, (route, waitedMs) => {
    failures(route);
    duration(route, waitedMs / 1000);
  });
}

/** @param {import('../events').Events} events @param {Registry} registry */
function countReads(events, registry) {
  const reads = tally(registry, 'catalog_reads_total', 'Reads by the tier that answered', ['tier']);
  const bytes = tally(registry, 'catalog_read_bytes_total', 'Bytes that each tier brought', [
    'tier',
  ]);
  events.on(EVENTS.served, (tier, length) => {
    reads(tier);
    bytes(tier, '', length);
  });
}

/** @param {import('../events').Events} events @param {Registry} registry */
function timeBackends(events, registry) {
  const bounds = DURATION_BOUNDS_SECONDS;
  const query = histogram(registry, {
    name: 'catalog_query_seconds',
    help: 'Time of a query, waiting behind others on its connection included',
    ...{ label: 'query', bounds },
  });
  const ahead = histogram(registry, {
    name: 'catalog_database_queries_ahead',
    help: 'Queries already waiting on the connection that a query was given to',
    ...{ label: 'lane', bounds: AHEAD_BOUNDS },
  });
  const redis = histogram(registry, {
    name: 'catalog_redis_seconds',
    help: 'Time of a Redis command that was answered',
    ...{ label: 'command', bounds },
  });
  events.on(EVENTS.queried, (name, lane, ms, waiting) => {
    query(name, ms / 1000);
    ahead(lane, waiting);
  });
  events.on(EVENTS.redisAnswered, (command, ms) => redis(command, ms / 1000));
}

/** @param {import('../events').Events} events @param {Registry} registry */
function countEvents(events, registry) {
  const lanes = ['short', 'bulk', 'version'];
  /** @type {[event: string, name: string, help: string, label?: string, known?: string[]][]} */
  const counted = [
    [EVENTS.collapsed, 'catalog_collapsed_reads_total', 'Reads that joined a running fill'],
    [
      EVENTS.shed,
      'catalog_shed_total',
      'Requests answered 503',
      'reason',
      ['overloaded', 'unavailable'],
    ],
    [EVENTS.poisoned, 'catalog_poisoned_total', 'Foreign values found in Redis'],
    [EVENTS.redisFailed, 'catalog_redis_failures_total', 'Redis commands failed or too slow'],
    [
      EVENTS.databaseLost,
      'catalog_database_lost_total',
      'Database connections lost',
      'lane',
      lanes,
    ],
    [EVENTS.databaseRefused, 'catalog_database_refused_total', 'Connection attempts refused'],
    [EVENTS.handlerFailed, 'catalog_handler_failures_total', 'Unexpected errors'],
    [EVENTS.versionChanged, 'catalog_version_changes_total', 'Changes of the data version'],
  ];
  for (const [event, name, help, label, known = ['']] of counted) {
    const add = tally(registry, name, help, label ? [label] : []);
    // From 0 on, so that the first one is a step that rate() sees.
    for (const value of known) add(value, '', 0);
    events.on(event, label ? (value) => add(value) : () => add());
  }
  const spans = tally(registry, 'catalog_trace_spans_total', 'Spans by what became of them', [
    'outcome',
  ]);
  for (const outcome of ['sent', 'lost']) spans(outcome, '', 0);
  events.on(EVENTS.spansExported, (outcome, count) => spans(outcome, '', count));
}

exports.createMetrics = createMetrics;
