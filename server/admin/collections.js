'use strict';

const { PerformanceObserver, constants, performance } = require('node:perf_hooks');

const { counter } = require('./tally');

/** Three looks between two scrapes (every 15 s). */
const EVERY_MS = 5000;
const LOOK_MS = 500;
/** @type {Record<number, string>} */
const KINDS = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/**
 * The share of its time that a worker collects garbage, seen in a tenth of it: with an observer of all of it, as
 * prom-client sets one up, p99 of a hot worker is a fifth longer.
 * @param {import('prom-client').Registry} registry
 * @param {{ everyMs?: number, lookMs?: number }} [times]
 */
function sampleCollections(registry, { everyMs = EVERY_MS, lookMs = LOOK_MS } = {}) {
  const seconds = Object.fromEntries(Object.values(KINDS).map((kind) => [kind, 0]));
  let observed = 0;
  const add = (/** @type {any} */ entry) => void (seconds[KINDS[entry.detail.kind]] += entry.duration / 1000);
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(add));
  const look = () => {
    const since = performance.now();
    observer.observe({ entryTypes: ['gc'] });
    setTimeout(() => {
      observer.takeRecords().forEach(add);
      observer.disconnect();
      observed += (performance.now() - since) / 1000;
    }, lookMs).unref();
  };
  setInterval(look, everyMs).unref();
  counter(registry, 'catalog_gc_seconds_total', 'Time of garbage collections while they were looked at', ['kind'], () =>
    Object.entries(seconds).map(([kind, sum]) => [[kind], sum]),
  );
  counter(
    registry,
    'catalog_gc_looked_at_seconds_total',
    'Time in which garbage collections were looked at',
    [],
    () => [[[], observed]],
  );
}

exports.sampleCollections = sampleCollections;
