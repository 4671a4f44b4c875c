import { durationOf } from './budgets.js';
import { comparesAll } from './ids.js';
import { routeNames } from './routes.js';

/** @param {any} metric @param {string} name */
const valueOf = (metric, name) => metric?.values[name] ?? 0;

/** @param {any} metrics @param {import('./loads.js').Row} row */
function figuresOf(metrics, { selector, scenario, isPart, ...row }) {
  const named = [durationOf(selector), `errors{${selector}}`, `http_reqs{${selector}}`];
  const [duration, errors, requests] = named.map((name) => metrics[name]);
  const dropped = `dropped_iterations{scenario:${scenario}}`;
  const missed = [...named, ...(isPart ? [] : [dropped])].flatMap((name) =>
    Object.entries(metrics[name]?.thresholds ?? {})
      .filter(([, { ok }]) => !ok)
      .map(([limit]) => `${name.replace(/\{.*/, '')} ${limit}`),
  );
  const count = valueOf(requests, 'count');
  const droppedCount = isPart ? undefined : valueOf(metrics[dropped], 'count');
  const wrong = valueOf(errors, 'passes'); // k6 counts what is true, and here true is an error
  return {
    scenario,
    ...row,
    requests: count,
    rps: row.seconds ? (count - wrong) / row.seconds : undefined,
    p50Ms: valueOf(duration, 'med'),
    p90Ms: valueOf(duration, 'p(90)'),
    p95Ms: valueOf(duration, 'p(95)'),
    p99Ms: valueOf(duration, 'p(99)'),
    maxMs: valueOf(duration, 'max'),
    errors: wrong,
    compared:
      comparesAll && [...routeNames, 'mix'].includes(row.route)
        ? count
        : valueOf(metrics[`compared{${selector}}`], 'count'),
    dropped: droppedCount,
    // k6 numbers the requests that it starts: after a dropped one, each is due later than its number says.
    lateMs: droppedCount === 0 ? metrics[`late{scenario:${scenario}}`]?.values['p(99)'] : undefined,
    missed,
  };
}

/**
 * The end of a run. The runner (FIGURES) gets a line with the figures of each row. Nothing is returned, so k6 prints its
 * own summary.
 * @param {import('./loads.js').Row[]} rows
 */
export const summarise = (rows) => (data) => {
  if (!__ENV.FIGURES) return;
  const figures = rows.map((row) => figuresOf(data.metrics, row));
  console.log(`FIGURES ${JSON.stringify({ rows: figures, catalog: data.setup_data })}`);
};
