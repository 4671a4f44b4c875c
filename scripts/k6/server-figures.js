'use strict';

/** @typedef {Map<string, import('./prometheus').Point[]>} Metrics one scrape of one worker */
/** @typedef {Record<string, Record<string, number>>} Groups figures of a chart, by line: `cpu: { 'worker 1': 0.4 }` */

/**
 * What becomes of the workers' metrics. A line is a worker, or the sum of all workers for each value of `label`, or
 * the sum under one `line`.
 * @type {{ group: string, metric: string, label?: string, line?: string, rate?: boolean, scale?: number }[]}
 */
const table = [
  { group: 'cpu', metric: 'process_cpu_seconds_total', rate: true },
  { group: 'memory', metric: 'process_resident_memory_bytes', scale: 2 ** -20 },
  { group: 'lag', metric: 'nodejs_eventloop_lag_p99_seconds', scale: 1000 },
  { group: 'descriptors', metric: 'process_open_fds' },
  { group: 'pool', metric: 'catalog_database_in_flight', label: 'lane' },
  { group: 'cache', metric: 'catalog_reads_total', label: 'tier', rate: true },
  { group: 'cache', metric: 'catalog_collapsed_reads_total', line: 'joined a fill', rate: true },
  { group: 'held', metric: 'catalog_l1_bytes', line: 'L1 of all workers', scale: 2 ** -20 },
  { group: 'refused', metric: 'catalog_shed_total', label: 'reason', rate: true },
  // Not drawn: it tells a worker from the one that took its place.
  { group: 'started', metric: 'process_start_time_seconds' },
];

/** @param {{ label?: string, line?: string }} row @param {number} worker @param {Record<string, string>} labels */
const lineOf = ({ label, line }, worker, labels) => line ?? (label ? labels[label] : `worker ${worker + 1}`);

/**
 * @param {Metrics[]} workers
 * @returns {Groups} values as they stand: rates are still counts
 */
function totals(workers) {
  /** @type {Groups} */
  const groups = {};
  for (const row of table) {
    const lines = (groups[row.group] ??= {});
    workers.forEach((metrics, worker) => {
      for (const { labels, value } of metrics.get(row.metric) ?? []) {
        const line = lineOf(row, worker, labels);
        lines[line] = (lines[line] ?? 0) + value * (row.scale ?? 1);
      }
    });
  }
  return groups;
}

const isRate = (/** @type {string} */ group) => table.some((row) => row.group === group && row.rate);

/**
 * @param {Groups} before @param {Groups} now both of `totals` @param {number} seconds between them
 * @returns {Groups} rates a second; a counter that fell belongs to a worker that was started again: left out
 */
function between(before, now, seconds) {
  /** @type {Groups} */
  const groups = {};
  for (const [group, lines] of Object.entries(now)) {
    if (!isRate(group)) groups[group] = lines;
    else {
      const grown = Object.entries(lines)
        .map(([line, value]) => [line, (value - (before[group]?.[line] ?? 0)) / seconds])
        .filter(([, rate]) => Number(rate) >= 0);
      groups[group] = Object.fromEntries(grown);
    }
  }
  return groups;
}

module.exports = { between, table, totals };
