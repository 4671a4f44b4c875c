'use strict';

/** @typedef {Map<string, { labels: Record<string, string>, value: number }[]>} Metrics one scrape of one worker, by metric name */
/** @typedef {Record<string, Record<string, number>>} Groups figures of a chart, by line: `cpu: { 'worker 1': 0.4 }` */

/** L1 also remembers which ids do not exist. @type {Record<string, string>} */
const tiers = { l1: 'L1', absent: 'L1', l2: 'L2', database: 'PostgreSQL' };

/** @typedef {(labels: Record<string, string>, worker: number) => string | undefined} LineOf undefined: not of interest */

/** Replies of the catalog, of which nginx answers some itself. @type {LineOf} */
const ok = ({ route, status }) =>
  status === '200' && /^(products?|styles|related|batch|included|search|suggest|catalog|export)$/.test(route)
    ? 'ok'
    : undefined;

const byWorker = (/** @type {any} */ _, /** @type {number} */ worker) => `worker ${worker + 1}`;

/**
 * What becomes of the workers' metrics: the values of one line are added up.
 * @type {{ group: string, metric: string, lineOf: LineOf, rate?: boolean, scale?: number }[]}
 */
const table = [
  { group: 'cpu', metric: 'process_cpu_seconds_total', lineOf: byWorker, rate: true },
  { group: 'memory', metric: 'process_resident_memory_bytes', lineOf: byWorker, scale: 2 ** -20 },
  { group: 'lag', metric: 'nodejs_eventloop_lag_p99_seconds', lineOf: byWorker, scale: 1000 },
  { group: 'descriptors', metric: 'process_open_fds', lineOf: byWorker },
  { group: 'started', metric: 'process_start_time_seconds', lineOf: byWorker },
  { group: 'pool', metric: 'catalog_database_in_flight', lineOf: ({ lane }) => lane },
  { group: 'reads', metric: 'catalog_reads_total', lineOf: ({ tier }) => tiers[tier] ?? tier, rate: true },
  { group: 'reads', metric: 'catalog_collapsed_reads_total', lineOf: () => 'joined a fill', rate: true },
  { group: 'refused', metric: 'catalog_shed_total', lineOf: ({ reason }) => reason, rate: true },
  { group: 'replies', metric: 'catalog_replies_total', lineOf: ok, rate: true },
];

/** Reads the Prometheus text format 0.0.4: one sample a line, no timestamps. @param {string} text @returns {Metrics} */
function parseMetrics(text) {
  /** @type {Metrics} */
  const metrics = new Map();
  for (const [, name, labelText = '', value] of text.matchAll(/^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/gm)) {
    const pairs = labelText.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g);
    const labels = Object.fromEntries([...pairs].map(([, key, text]) => [key, text]));
    metrics.set(name, [...(metrics.get(name) ?? []), { labels, value: Number(value) }]);
  }
  return metrics;
}

/** @param {Metrics[]} workers @returns {Groups} rates are still counts */
function totals(workers) {
  /** @type {Groups} */
  const groups = {};
  for (const { group, metric, lineOf, scale = 1 } of table) {
    const lines = (groups[group] ??= {});
    workers.forEach((metrics, worker) => {
      for (const { labels, value } of metrics.get(metric) ?? []) {
        const line = lineOf(labels, worker);
        if (line !== undefined) lines[line] = (lines[line] ?? 0) + value * scale;
      }
    });
  }
  return groups;
}

/**
 * @param {Groups} before @param {Groups} now both of `totals` @param {number} seconds between them
 * @returns {Groups} rates a second; a counter that fell belongs to a worker that was restarted: left out
 */
function between(before, now, seconds) {
  const isRate = (/** @type {string} */ group) => table.some((row) => row.group === group && row.rate);
  const rates = (/** @type {string} */ group, /** @type {Record<string, number>} */ lines) =>
    Object.entries(lines)
      .map(([line, value]) => [line, (value - (before[group]?.[line] ?? 0)) / seconds])
      .filter(([, rate]) => Number(rate) >= 0);
  const groups = Object.entries(now).map(([group, lines]) =>
    isRate(group) ? [group, Object.fromEntries(rates(group, lines))] : [group, lines],
  );
  return Object.fromEntries(groups);
}

/**
 * How the cache tiers and the CPU were used while a step ran. `tiers`: share of the correct replies by the tier that had
 * them; only if the metrics of all workers are read. `cpu`: cores in use by process; `busy`: by all on the generator's machine.
 * @typedef {{ tiers?: Record<string, number>, cpu: Record<string, number>, busy?: number }} StepLoad
 */

/**
 * nginx (L0) answers what k6 counts and no worker does. The workers' reads divide the rest.
 * @param {number} answered by k6's count @param {number | undefined} byWorkers @param {Record<string, number>} reads by tier
 * @returns {Record<string, number> | undefined}
 */
function tiersOf(answered, byWorkers, { L1 = 0, L2 = 0, PostgreSQL = 0 }) {
  if (byWorkers === undefined || !answered) return undefined;
  const L0 = Math.max(0, 1 - byWorkers / answered);
  const scale = (1 - L0) / (L1 + L2 + PostgreSQL || 1);
  return { L0, L1: L1 * scale, L2: L2 * scale, PostgreSQL: PostgreSQL * scale };
}

/** @param {Record<string, number>[]} groups one for each second @returns {Record<string, number>} sums by line */
function sumsOf(groups) {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const lines of groups) for (const [line, value] of Object.entries(lines)) sums[line] = (sums[line] ?? 0) + value;
  return sums;
}

/**
 * @param {import('./timeline').Window[]} windows of the step
 * @param {import('./recorder').ServerPoint[]} server points, each of which covers the second before it
 * @returns {StepLoad}
 */
function stepLoad(windows, server) {
  const points = new Map(server.map(({ t, groups }) => [Math.round(t) - 1, groups]));
  const seen = windows.filter(({ t }) => points.has(t));
  const sum = (/** @type {string} */ group) => sumsOf(seen.map(({ t }) => points.get(t)?.[group] ?? {}));
  const answered = seen.reduce((total, { rps }) => total + rps, 0);
  const mean = (/** @type {number} */ total) => total / seen.length;
  const { busy } = sum('machine');
  return {
    tiers: tiersOf(answered, sum('replies').ok, sum('reads')),
    cpu: Object.fromEntries(Object.entries(sum('cpu')).map(([line, total]) => [line, mean(total)])),
    busy: busy === undefined ? undefined : mean(busy),
  };
}

module.exports = { between, parseMetrics, stepLoad, table, totals };
