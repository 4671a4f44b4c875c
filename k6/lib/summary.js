import { durationOf } from './budgets.js';
import { comparesAll } from './ids.js';
import { routeNames } from './routes.js';

/** @param {any} metric @param {string} name */
const valueOf = (metric, name) => metric?.values[name] ?? 0;

/** The value that a threshold is about: k6 names it `rate==0` or `p(99)<=10`. @param {any} metric @param {string} limit */
const valueFor = ({ values }, limit) => values[/^[\w()]+/.exec(limit)[0]];

/** @param {any} metrics @param {string} name @returns {string[]} what it missed, and by how much */
const missedBy = (metrics, name) =>
  Object.entries(metrics[name]?.thresholds ?? {})
    .filter(([, { ok }]) => !ok)
    .map(([limit]) => `${name.replace(/\{.*/, '')} ${limit}, but ${+valueFor(metrics[name], limit).toPrecision(3)}`);

/** @param {any} metrics @param {import('./loads.js').Row} row */
function figuresOf(metrics, { selector, isPart, risesFrom, ...row }) {
  const [duration, errors, requests] = [durationOf(selector), `errors{${selector}}`, `http_reqs{${selector}}`];
  const [dropped, late] = [`dropped_iterations{scenario:${row.scenario}}`, `late{scenario:${row.scenario}}`];
  const count = valueOf(metrics[requests], 'count');
  const droppedCount = isPart ? undefined : valueOf(metrics[dropped], 'count');
  const wrong = valueOf(metrics[errors], 'passes'); // k6 counts what is true, and here true is an error
  const isWholly = comparesAll && [...routeNames, 'mix'].includes(row.route);
  return {
    ...row,
    rate: risesFrom && !isPart ? valueOf(metrics.reached_rate, 'max') : row.rate,
    risesFrom: isPart ? undefined : risesFrom,
    requests: count,
    rps: row.seconds ? (count - wrong) / row.seconds : undefined,
    p50Ms: valueOf(metrics[duration], 'med'),
    p95Ms: valueOf(metrics[duration], 'p(95)'),
    p99Ms: valueOf(metrics[duration], 'p(99)'),
    maxMs: valueOf(metrics[duration], 'max'),
    errors: wrong,
    compared: isWholly ? count : valueOf(metrics[`compared{${selector}}`], 'count'),
    outdated: valueOf(metrics[`outdated{${selector}}`], 'count'),
    dropped: droppedCount,
    // k6 numbers the requests that it starts: after a dropped one, each is due later than its number says.
    lateMs: droppedCount === 0 ? metrics[late]?.values['p(99)'] : undefined,
    missed: [duration, errors, requests, ...(isPart ? [] : [dropped, late])].flatMap((name) => missedBy(metrics, name)),
  };
}

/** Shares of the correct replies by the part that had them; nginx had what no worker counted. @param {any} metrics */
function tiersOf(metrics) {
  const [replies, memory, redis, postgresql] = ['replies', 'memory', 'redis', 'postgresql'].map((name) =>
    valueOf(metrics[`workers_${name}`], 'count'),
  );
  const answered = valueOf(metrics.errors, 'fails');
  const read = memory + redis + postgresql;
  if (!answered || !metrics.workers_replies) return undefined;
  const nginx = Math.max(0, 1 - replies / answered);
  const shareOf = (/** @type {number} */ reads) => ((1 - nginx) * reads) / (read || 1);
  return { nginx, memory: shareOf(memory), Redis: shareOf(redis), PostgreSQL: shareOf(postgresql) };
}

/**
 * The end of a run. The runner (FIGURES) gets a line with the figures of each row. Nothing is returned, so k6 prints its
 * own summary.
 * @param {import('./loads.js').Row[]} rows
 */
export const summarise =
  (rows) =>
  ({ metrics, setup_data: data }) => {
    if (!data) return {}; // the setup failed: figures of nothing would hide its error
    if (!__ENV.FIGURES) return;
    const figures = rows.map((row) => figuresOf(metrics, row));
    const missed = ['ended_workers', 'leaks'].flatMap((name) => missedBy(metrics, name));
    const { rows: count, known } = data;
    console.log(
      `FIGURES ${JSON.stringify({ rows: figures, missed, tiers: tiersOf(metrics), catalog: { rows: count, known } })}`,
    );
  };
