'use strict';
const { get } = require('../lib/probe');
const { machineTicks, processTicks, readOrNothing, ticksPerSecond } = require('../lib/proc');
const { waitUntil } = require('../lib/wait-until');

/** @typedef {Map<string, { labels: Record<string, string>, value: number }[]>} Metrics one scrape of one worker, by metric name */
/** @typedef {Record<string, Record<string, number>>} Groups figures by line: `cpu: { 'worker 1': 0.4 }` */
/** @typedef {{ t: number, groups: Groups }} ServerPoint workers and machine at one moment, in seconds since the epoch; counters are totals */

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
 * @type {{ group: string, metric: string, lineOf: LineOf, scale?: number }[]}
 */
const table = [
  { group: 'cpu', metric: 'process_cpu_seconds_total', lineOf: byWorker },
  { group: 'memory', metric: 'process_resident_memory_bytes', lineOf: byWorker, scale: 2 ** -20 },
  { group: 'descriptors', metric: 'process_open_fds', lineOf: byWorker },
  { group: 'started', metric: 'process_start_time_seconds', lineOf: byWorker },
  { group: 'reads', metric: 'catalog_reads_total', lineOf: ({ tier }) => tiers[tier] ?? tier },
  { group: 'replies', metric: 'catalog_replies_total', lineOf: ok },
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

/** @param {Metrics[]} workers @returns {Groups} */
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

/** @param {number} pid of k6 @returns {{ busy: number, k6: number } | undefined} seconds of CPU so far; undefined if k6 has ended */
function cpuSeconds(pid) {
  const [machine, own] = ['/proc/stat', `/proc/${pid}/stat`].map(readOrNothing);
  if (!machine || !own) return undefined;
  const { busy, stolen } = machineTicks(machine); // stolen: the host gave it to other machines
  return { busy: (busy - stolen) / ticksPerSecond, k6: processTicks(own) / ticksPerSecond };
}

/**
 * Records workers and machine each full second, as k6 counts its own seconds.
 * @param {{ metrics: string[], onPoint: (point: ServerPoint) => void, everyMs?: number }} options `metrics`: addresses
 */
function startRecorder({ metrics, onPoint, everyMs = 1000 }) {
  let k6Pid = 0;
  /** @type {NodeJS.Timeout | undefined} */
  let timer = setTimeout(tick);
  async function tick() {
    const [ms, cpu] = [Date.now(), cpuSeconds(k6Pid)];
    if (cpu) {
      const replies = await Promise.all(metrics.map((url) => get(url)));
      const groups = totals(replies.map(({ body }) => parseMetrics(body)));
      const all = { ...groups, cpu: { k6: cpu.k6, ...groups.cpu }, machine: { busy: cpu.busy } };
      // A silent worker leaves a gap: sums without it, and with it again, would jump.
      if (replies.every(({ status }) => status === 200)) onPoint({ t: ms / 1000, groups: all });
    }
    if (timer) timer = setTimeout(tick, everyMs - (Date.now() % everyMs));
  }
  return {
    /** @param {number} pid of the k6 that runs now */
    watch: (pid) => void (k6Pid = pid),
    stop: () => (clearTimeout(timer), (timer = undefined)),
  };
}

/** A worker that ends is started again within this time. */
const usualRestartMs = 15_000;

/** @param {string[]} metrics addresses @returns {Promise<(number | undefined)[]>} when each worker has started; undefined: it does not answer */
const startsOf = (metrics) =>
  Promise.all(
    metrics.map(async (url) => parseMetrics((await get(url)).body).get('process_start_time_seconds')?.[0]?.value),
  );

/**
 * Notes which processes the workers are.
 * @param {string[]} metrics addresses @param {number} [restartMs]
 * @returns {Promise<() => Promise<string[]>>} which of them have ended since, in words
 */
async function watchProcesses(metrics, restartMs = usualRestartMs) {
  const before = await startsOf(metrics);
  return async () => {
    let after = await startsOf(metrics);
    const answer = async () => !(after = await startsOf(metrics)).includes(undefined);
    if (after.includes(undefined)) await waitUntil(answer, restartMs);
    return before.flatMap((started, worker) => {
      if (started === undefined || started === after[worker]) return [];
      const now = after[worker] === undefined ? 'does not answer' : 'is another process since';
      return [`worker ${worker + 1} ended during the run and ${now}: see its log`];
    });
  };
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

/**
 * What a step used: the difference of its first and its last point. Counters of a worker that was restarted begin again and say nothing.
 * @param {import('./timeline').Window[]} windows of the step @param {ServerPoint[]} server points, one at the start of each second
 * @returns {StepLoad}
 */
function stepLoad(windows, server) {
  const [begin, end] = [windows[0]?.t ?? NaN, (windows.at(-1)?.t ?? NaN) + 1];
  const points = server.filter(({ t }) => Math.round(t) >= begin && Math.round(t) <= end);
  const [first, last] = [points[0], points.at(-1)];
  if (!last || first === last) return { cpu: {} };
  const seconds = last.t - first.t;
  const isRestarted = JSON.stringify(first.groups.started) !== JSON.stringify(last.groups.started);
  const grown = (/** @type {string} */ group, per = 1) => {
    const lines = Object.entries(last.groups[group] ?? {});
    const differences = lines.map(([line, value]) => [line, (value - first.groups[group]?.[line]) / per]);
    return Object.fromEntries(differences.filter(([, difference]) => Number(difference) >= 0));
  };
  const seen = windows.filter(({ t }) => t >= Math.round(first.t) && t < Math.round(last.t));
  const answered = seen.reduce((total, { rps }) => total + rps, 0);
  return {
    tiers: isRestarted ? undefined : tiersOf(answered, grown('replies').ok, grown('reads')),
    cpu: grown('cpu', seconds),
    busy: grown('machine', seconds).busy,
  };
}

module.exports = { parseMetrics, startRecorder, stepLoad, table, totals, watchProcesses };
