'use strict';

const { PerformanceObserver, constants, performance } = require('node:perf_hooks');

const { counter } = require('./tally');

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

exports.sampleGc = sampleGc;
