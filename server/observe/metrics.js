'use strict';

const { constants, performance, PerformanceObserver } = require('node:perf_hooks');

const { collectDefaultMetrics, Registry } = require('@prometheus-io/client');

const { showGauges } = require('./gauges');
const { countReads, countReplies, countSearches, DURATION_BOUNDS_SECONDS } = require('./replies');
const { counter, histogram, tally } = require('./tally');

/** Three samples between two scrapes (every 15 s). */
const EVERY_MS = 5000;
const OBSERVE_MS = 500;
/** @type {Record<number, string>} */
const KINDS = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/**
 * Measures the share of time that a worker collects garbage, in a tenth of the time: with an observer that is always on, as
 * the client library sets one up, p99 of a hot worker is a fifth longer.
 * @param {import('@prometheus-io/client').Registry} registry
 * @param {{ everyMs?: number, observeMs?: number }} [times]
 */
function sampleGc(registry, { everyMs = EVERY_MS, observeMs = OBSERVE_MS } = {}) {
  const seconds = Object.fromEntries(Object.values(KINDS).map((kind) => [kind, 0]));
  let observedSeconds = 0;
  const add = (/** @type {any} */ entry) => void (seconds[KINDS[entry.detail.kind]] += entry.duration / 1000);
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(add));
  const sample = () => {
    const since = performance.now();
    observer.observe({ entryTypes: ['gc'] });
    setTimeout(() => {
      observer.takeRecords().forEach(add);
      observer.disconnect();
      observedSeconds += (performance.now() - since) / 1000;
    }, observeMs).unref();
  };
  setInterval(sample, everyMs).unref();
  counter(registry, 'catalog_gc_seconds_total', 'Time of garbage collections while they were observed', ['kind'], () =>
    Object.entries(seconds).map(([kind, sum]) => [[kind], sum]),
  );
  counter(registry, 'catalog_gc_observed_seconds_total', 'Time in which garbage collections were observed', [], () => [
    [[], observedSeconds],
  ]);
}

/** Queries on a connection are answered in order, so a query waits for those ahead of it. */
const AHEAD_BOUNDS = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000];

/**
 * Counts events. A hot reply only adds to a number; labels are made at a scrape.
 * @param {import('../core/events').Events} events
 * @param {import('./gauges').Gauges} gauges
 * @returns {Registry}
 */
function createMetrics(events, gauges) {
  const registry = new Registry();
  showProcess(registry);
  countReplies(events, registry, gauges);
  countReads(events, registry, gauges);
  countSearches(registry, gauges);
  timeBackends(events, registry);
  countEvents(events, registry);
  showGauges(gauges, registry);
  return registry;
}

/**
 * The default metrics that cost an idle worker something: `gc` observes every collection, and `eventLoopUtilization`
 * wakes up ten times a second. The sampler of this file and `catalog_event_loop_seconds_total` replace them.
 */
const LEFT_OUT = ['gc', 'eventLoopUtilization'];

/** @param {Registry} registry */
function showProcess(registry) {
  for (const name of collectDefaultMetrics.metricsList.filter((each) => !LEFT_OUT.includes(each)))
    require(`@prometheus-io/client/lib/metrics/${name}`)(registry, { eventLoopMonitoringPrecision: 10 });
  sampleGc(registry);
}

/** @param {import('../core/events').Events} events @param {Registry} registry */
function timeBackends(events, registry) {
  const bounds = DURATION_BOUNDS_SECONDS;
  const query = histogram(registry, {
    name: 'catalog_query_seconds',
    help: 'Time of a query, including its wait behind others on the connection',
    label: 'query',
    bounds,
  });
  const ahead = histogram(registry, {
    name: 'catalog_database_queries_ahead',
    help: 'Queries already waiting on the connection that gets a query',
    label: 'lane',
    bounds: AHEAD_BOUNDS,
  });
  const redis = histogram(registry, {
    name: 'catalog_redis_seconds',
    help: 'Time of a Redis command that was answered',
    label: 'command',
    bounds,
  });
  events.on('queried', (name, lane, ms, waiting) => {
    query(lane === 'bulk' ? `long_${name}` : name, ms / 1000);
    ahead(lane, waiting);
  });
  events.on('redisAnswered', (command, ms) => redis(command, ms / 1000));
}

/** @typedef {[event: keyof import('../core/events').EventMap, name: string, help: string, label?: string, known?: string[]]} Counted */

/**
 * The events that every program counts.
 * @param {string[]} reasons of a 503 @param {string[]} lanes of its database connections
 * @returns {Counted[]}
 */
const commonEvents = (reasons, lanes) => [
  ['shed', 'catalog_shed_total', 'Requests answered 503', 'reason', reasons],
  ['databaseLost', 'catalog_database_lost_total', 'Database connections lost', 'lane', lanes],
  ['databaseRefused', 'catalog_database_refused_total', 'Connection attempts refused'],
  ['handlerFailed', 'catalog_handler_failures_total', 'Unexpected errors'],
];

const LANES = ['short', 'bulk', 'search', 'version'];

/** @param {import('../core/events').Events} events @param {Registry} registry */
function countEvents(events, registry) {
  countEach(events, registry, [
    ...commonEvents(['overloaded', 'unavailable', 'without-search'], LANES),
    ['collapsed', 'catalog_collapsed_reads_total', 'Reads that joined a running fill'],
    ['exported', 'catalog_exports_total', 'Exports that ended, by outcome', 'outcome', ['complete', 'cut']],
    ['corrupted', 'catalog_poisoned_total', 'Foreign values found in Redis'],
    ['redisFailed', 'catalog_redis_failures_total', 'Redis commands failed or too slow, and failed connections'],
    ['versionUnread', 'catalog_version_unread_total', 'Reads of the data version that failed'],
    ['versionChanged', 'catalog_version_changes_total', 'Changes of the data version'],
  ]);
  const commits = tally(registry, 'catalog_commits_applied_total', 'Commits of the log that cache keys count', []);
  commits('', 0);
  events.on('commitsApplied', (count) => commits('', count));
  const spans = tally(registry, 'catalog_trace_spans_total', 'Spans by outcome', ['outcome']);
  for (const outcome of ['sent', 'lost']) spans(outcome, 0);
  events.on('spansExported', (outcome, count) => spans(outcome, count));
}

/** @param {import('../core/events').Events} events @param {Registry} registry @param {Counted[]} counted */
function countEach(events, registry, counted) {
  for (const [event, name, help, label, known = ['']] of counted) {
    const add = tally(registry, name, help, label ? [label] : []);
    // From 0 on, so that the first one is a step that rate() sees.
    for (const value of known) add(value, 0);
    const count = (/** @type {any[]} */ ...[value]) => (label ? add(value) : add());
    events.on(event, count);
  }
}

exports.commonEvents = commonEvents;
exports.countEach = countEach;
exports.createMetrics = createMetrics;
exports.sampleGc = sampleGc;
exports.showProcess = showProcess;
