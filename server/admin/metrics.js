'use strict';

const { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } = require('prom-client');

const { EVENTS } = require('../events');

const WAIT_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/**
 * @typedef {object} Gauges what is read at the moment of a scrape
 * @property {() => number} l1Bytes
 * @property {() => number} l1Entries
 * @property {() => { lane: string, ready: number, inFlight: number }[]} lanes
 * @property {() => boolean} redisUp
 */

/**
 * Counts events. A hot reply only adds to a number here; prom-client, which hashes labels, is asked to
 * count when someone scrapes.
 * @param {import('../events').Events} events
 * @param {Gauges} gauges
 * @returns {Registry}
 */
function createMetrics(events, gauges) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  countReplies(events, registry);
  countEvents(events, registry);
  showGauges(gauges, registry);
  return registry;
}

/** @param {import('../events').Events} events @param {Registry} registry */
function countReplies(events, registry) {
  const waited = new Histogram({
    name: 'catalog_reply_wait_seconds',
    help: 'Time replies waited for Redis, the database or a compression; L1 hits do not wait',
    labelNames: ['route'],
    buckets: WAIT_BUCKETS_SECONDS,
    registers: [registry],
  });
  const replies = tally(registry, 'catalog_replies_total', 'Replies', ['route', 'status']);
  events.on(EVENTS.replied, (route, status, waitedMs) => {
    replies(route, status);
    if (waitedMs > 0) waited.observe({ route }, waitedMs / 1000);
  });
}

/** @param {import('../events').Events} events @param {Registry} registry */
function countEvents(events, registry) {
  /** @type {[event: string, name: string, help: string, label?: string][]} */
  const counted = [
    [EVENTS.served, 'catalog_reads_total', 'Reads by the tier that answered', 'tier'],
    [EVENTS.collapsed, 'catalog_collapsed_reads_total', 'Reads that joined a running fill'],
    [EVENTS.shed, 'catalog_shed_total', 'Requests answered 503', 'reason'],
    [EVENTS.poisoned, 'catalog_poisoned_total', 'Foreign values found in Redis'],
    [EVENTS.redisFailed, 'catalog_redis_failures_total', 'Redis commands failed or too slow'],
    [EVENTS.databaseLost, 'catalog_database_lost_total', 'Database connections lost', 'lane'],
    [EVENTS.databaseRefused, 'catalog_database_refused_total', 'Connection attempts refused'],
    [EVENTS.handlerFailed, 'catalog_handler_failures_total', 'Unexpected errors'],
    [EVENTS.versionChanged, 'catalog_version_changes_total', 'Changes of the data version'],
  ];
  for (const [event, name, help, label] of counted) {
    const add = tally(registry, name, help, label ? [label] : []);
    events.on(event, label ? (value) => add(value) : () => add());
  }
}

/**
 * A counter that is a plain map between scrapes.
 * @param {Registry} registry @param {string} name @param {string} help @param {string[]} labelNames
 * @returns {(...values: (string | number)[]) => void} adds one
 */
function tally(registry, name, help, labelNames) {
  /** @type {Map<string | number, any>} */
  const counts = new Map();
  new Counter({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [first, inner] of counts)
        for (const [second, count] of inner) this.inc(labels(labelNames, [first, second]), count);
    },
  });
  return (first = '', second = '') => {
    let inner = counts.get(first);
    if (!inner) counts.set(first, (inner = new Map()));
    inner.set(second, (inner.get(second) ?? 0) + 1);
  };
}

/** @param {string[]} names @param {(string | number)[]} values */
const labels = (names, values) =>
  Object.fromEntries(names.map((name, index) => [name, values[index]]));

/** @param {Gauges} gauges @param {Registry} registry */
function showGauges(gauges, registry) {
  const show = (
    /** @type {string} */ name,
    /** @type {string} */ help,
    /** @type {(gauge: Gauge) => void} */ read,
    /** @type {string[]} */ labelNames = [],
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        read(this);
      },
    });
  show('catalog_l1_bytes', 'Bytes held by L1', (gauge) => gauge.set(gauges.l1Bytes()));
  show('catalog_l1_entries', 'Replies held by L1', (gauge) => gauge.set(gauges.l1Entries()));
  show('catalog_redis_up', '1 while Redis is used', (gauge) => gauge.set(Number(gauges.redisUp())));
  show(
    'catalog_database_connections',
    'Usable database connections',
    (gauge) => gauges.lanes().forEach(({ lane, ready }) => gauge.set({ lane }, ready)),
    ['lane'],
  );
  show(
    'catalog_database_in_flight',
    'Queries waiting for the database',
    (gauge) => gauges.lanes().forEach(({ lane, inFlight }) => gauge.set({ lane }, inFlight)),
    ['lane'],
  );
}

exports.createMetrics = createMetrics;
