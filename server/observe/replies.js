'use strict';

const { counter, histogram, tally } = require('./tally');

/** @typedef {import('@prometheus-io/client').Registry} Registry */

/** Close together around the target (10 ms), so that a p99 read from them is off by a third at most. */
const DURATION_BOUNDS_SECONDS = [
  0.0005, 0.001, 0.0015, 0.002, 0.003, 0.004, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.2, 0.5, 1, 2,
  5, 10,
];

/** From 0 on, so that the first one is a step that rate() sees. */
const PROBLEMS_FROM_START = [500, 503];

/**
 * A reply that waited for nothing was written in the turn of the event loop that read the request: it
 * counts as 0 s, in the lowest bucket, without reading the clock. Its wait for that turn is the event loop's lag.
 * @param {import('../core/events').Events} events @param {Registry} registry @param {Pick<import('./gauges').Gauges, 'atOnce'>} gauges
 */
function countReplies(events, registry, gauges) {
  /** @type {Map<string, Float64Array>} those that waited, by route and status */
  const routes = new Map([['problem', noReplies()]]);
  /** @type {Map<string, number>} replies at once that the histogram already has, by route */
  const counted = new Map();
  const prepare = () => {
    for (const [route, { ok, notModified }] of gauges.atOnce()) {
      const since = ok + notModified - (counted.get(route) ?? 0);
      if (since) duration(route, 0, since);
      counted.set(route, ok + notModified);
    }
  };
  const duration = histogram(registry, {
    name: 'catalog_request_duration_seconds',
    help: 'Time from a request to its reply, 5xx of reads included; L1 hits count as 0',
    label: 'route',
    bounds: DURATION_BOUNDS_SECONDS,
    prepare,
  });
  const failures = tally(registry, 'catalog_failed_requests_total', 'Reads that ended in a 5xx', ['route']);
  counter(registry, 'catalog_replies_total', 'Replies', ['route', 'status'], function* () {
    for (const [route, statuses] of routes)
      for (const [status, count] of statuses.entries())
        if (count || (route === 'problem' && PROBLEMS_FROM_START.includes(status))) yield [[route, status], count];
    for (const [route, { ok, notModified }] of gauges.atOnce()) {
      if (ok) yield [[route, 200], ok];
      if (notModified) yield [[route, 304], notModified];
    }
  });
  events.on('replied', (route, status, waitedMs) => {
    let statuses = routes.get(route);
    if (!statuses) routes.set(route, (statuses = noReplies()));
    statuses[status] += 1;
    if (status < 400) duration(route, waitedMs / 1000);
  });
  events.on('readFailed', (route, waitedMs) => {
    failures(route);
    duration(route, waitedMs / 1000);
  });
}

const noReplies = () => new Float64Array(600);

/** @param {import('../core/events').Events} events @param {Registry} registry @param {import('./gauges').Gauges} gauges */
function countReads(events, registry, gauges) {
  /** @type {Record<string, { reads: number, bytes: number }>} */
  const tiers = {};
  /** @param {string} name @param {string} help @param {'reads' | 'bytes'} figure */
  const show = (name, help, figure) =>
    counter(registry, name, help, ['tier'], () =>
      Object.entries({ ...tiers, l1: gauges.l1Read() }).map(([tier, counts]) => [[tier], counts[figure]]),
    );
  show('catalog_reads_total', 'Reads by the tier that answered', 'reads');
  show('catalog_read_bytes_total', 'Bytes that each tier brought', 'bytes');
  events.on('served', (tier, length) => {
    const counts = (tiers[tier] ??= { reads: 0, bytes: 0 });
    counts.reads += 1;
    counts.bytes += length;
  });
}

/** No label has a word: texts of shoppers are private. @param {Registry} registry @param {Pick<import('./gauges').Gauges, 'searchCounts'>} gauges */
function countSearches(registry, { searchCounts }) {
  counter(registry, 'catalog_searches_total', 'Searches with words, without further pages', ['outcome'], () =>
    Object.entries(searchCounts.outcomes).map(([outcome, count]) => [[outcome], count]),
  );
  counter(registry, 'catalog_search_dropped_words_total', 'Words that searches left out to find something', [], () => [
    [[], searchCounts.droppedWords],
  ]);
}

exports.DURATION_BOUNDS_SECONDS = DURATION_BOUNDS_SECONDS;
exports.countReplies = countReplies;
exports.countReads = countReads;
exports.countSearches = countSearches;
