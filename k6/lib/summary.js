import { durationOf } from './budgets.js';
import { comparesAll } from './ids.js';

/** @param {any} metric @param {string} name */
const valueOf = (metric, name) => metric?.values[name] ?? 0;

/** @param {any} metrics @param {boolean} allCompared @param {import('./loads.js').Row} row */
function figuresOf(metrics, allCompared, { selector, scenario, isPart, ...row }) {
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
  const wrong = valueOf(errors, 'passes'); // a Rate counts what was true: here, that something was wrong
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
    compared: allCompared ? count : valueOf(metrics[`compared{${selector}}`], 'count'),
    dropped: droppedCount,
    // k6 numbers what it sends: behind a request that was dropped, each is due later than its number says.
    lateMs: droppedCount === 0 ? metrics[`late{scenario:${scenario}}`]?.values['p(99)'] : undefined,
    missed,
  };
}

const line = ({ route, rate, requests, p50Ms, p99Ms, maxMs, errors, compared, dropped, lateMs, missed }) =>
  `${missed.length ? 'FAILED' : 'ok    '} ${route} ${rate ?? ''}: ${requests} requests, p50 ${p50Ms.toFixed(2)} ms, ` +
  `p99 ${p99Ms.toFixed(2)} ms, max ${maxMs.toFixed(1)} ms, ${errors} errors, ` +
  `${compared} bodies compared` +
  (dropped === undefined ? '' : `, ${dropped} dropped`) +
  (lateMs === undefined ? '' : `, p99 ${lateMs.toFixed(1)} ms late`);

/**
 * The end of a run: figures for a program where one asked for them (SUMMARY), else lines for a person.
 * @param {import('./loads.js').Row[]} rows
 */
export const summarise = (rows) => (data) => {
  const figures = rows.map((row) => figuresOf(data.metrics, comparesAll, row));
  if (!__ENV.SUMMARY) return { stdout: `${figures.map(line).join('\n')}\n` };
  return { [__ENV.SUMMARY]: JSON.stringify({ rows: figures, catalog: data.setup_data }) };
};
