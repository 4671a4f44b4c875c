import { p99Ms, thresholds } from './budgets.js';
import { routeNames, shareOf } from './routes.js';

/**
 * A row of the figures.
 * @typedef {object} Row
 * @property {string} scenario
 * @property {string} route
 * @property {number} [rate] requests a second; none of a part of a mix
 * @property {number} [seconds] none if no rate is held
 * @property {string} selector of the k6 metrics
 * @property {number} budgetMs for 99 of 100 requests
 * @property {number} expected requests, about
 * @property {number} [risesFrom] requests a second at the start of a rate that rises
 * @property {boolean} [isPart] a route of a mix, whose row is before it
 */

/**
 * A rate step: one rate that is held for a while.
 * @typedef {{ route: string, rate: number, seconds: number, name?: string, budgetMs?: number }} Step
 */

/** Opens connections and warms the JIT and the caches; not counted. */
const warmUp = { rate: 50, seconds: Number(__ENV.WARM_UP_SECONDS || 3) };

/** Between two steps, so that their requests do not overlap. */
const pauseSeconds = 1;

/** @param {string} text `90s`, `5m` or `2h` @returns {number} seconds */
export function secondsOf(text) {
  const [, number, unit] = /^(\d+)(s|m|h)$/.exec(text) ?? [];
  if (!unit) throw new Error(`${text} is not a duration: write 90s, 5m or 2h`);
  return Number(number) * { s: 1, m: 60, h: 3600 }[unit];
}

/** The service may stall for this long before k6 runs out of users. */
const stallMs = 200;

/**
 * Users that exist from the start. A request that finds none idle is dropped, which fails the step. Each costs k6 memory,
 * so there are at most a thousand; rates that need more tolerate shorter stalls.
 * @param {number} rate @param {number} budgetMs
 */
const usersFor = (rate, budgetMs) =>
  Math.min(1000, Math.max(20, Math.ceil((rate * Math.max(stallMs, budgetMs)) / 1000)));

/** About so many bodies are parsed each second: all of a slow step, some of a fast one. */
const parsedPerSecond = 100;

/** An arrival rate, not looping users: a slow server must not lower the rate that measures it. */
const steady = ({ exec, rate, seconds, startSeconds, budgetMs = p99Ms }) => ({
  executor: 'constant-arrival-rate',
  exec,
  rate,
  timeUnit: '1s',
  duration: `${seconds}s`,
  startTime: `${startSeconds}s`,
  gracefulStop: '10s',
  env: { PARSED_SHARE: String(parsedPerSecond / rate), ASKED_RATE: String(rate) },
  preAllocatedVUs: usersFor(rate, budgetMs),
  maxVUs: Math.max(usersFor(rate, budgetMs), Math.min(1000, rate)),
});

/** @param {Step} step @returns {Row[]} */
function rowsOf({ route, rate, seconds, budgetMs = p99Ms, name = `${route}-${rate}` }) {
  return withParts({
    scenario: name,
    route,
    rate,
    seconds,
    budgetMs,
    expected: rate * seconds,
    selector: `scenario:${name}`,
  });
}

/** @param {Row} whole @returns {Row[]} and the routes of a mix */
function withParts(whole) {
  if (whole.route !== 'mix') return [whole];
  const { rate, ...row } = whole;
  const parts = routeNames.map((part) => ({
    ...row,
    route: part,
    expected: row.expected * shareOf(part),
    isPart: true,
    selector: `${row.selector},route:${part}`,
  }));
  return [whole, ...parts];
}

/** @param {string} route */
const warmedUp = (route) => ({
  startTime: warmUp.seconds > 0 ? warmUp.seconds + pauseSeconds : 0,
  scenarios: warmUp.seconds > 0 ? { 'warm-up': steady({ ...warmUp, exec: route, startSeconds: 0 }) } : {},
});

/**
 * One step after another.
 * @param {Step[]} steps
 * @param {{ pause?: number }} [gaps] seconds between two
 * @returns {{ rows: Row[], options: object }} for the figures, and for k6
 */
export function inSequence(steps, { pause = pauseSeconds } = {}) {
  const { startTime, scenarios } = warmedUp(steps[0].route);
  let startSeconds = startTime;
  for (const step of steps) {
    const { route, rate, seconds, name = `${route}-${rate}` } = step;
    scenarios[name] = steady({ ...step, exec: route, startSeconds });
    startSeconds += seconds + pause;
  }
  return withOptions(scenarios, steps.flatMap(rowsOf));
}

/** @param {Step[]} steps all at the same time */
export function together(steps) {
  const scenarios = steps.map((step) => [
    `${step.route}-${step.rate}`,
    steady({ ...step, exec: step.route, startSeconds: 0 }),
  ]);
  return withOptions(Object.fromEntries(scenarios), steps.flatMap(rowsOf));
}

/** Above it the figures are those of one k6 and not of the service. */
const highestRate = 64_000;
const mostUsers = 1000;
/** The p99 of the first requests is chance. */
const afterFirst = { delayAbortEval: '10s' };

/** @param {Step} step from this rate, which doubles in each period until a threshold is missed, and then the run ends */
export function rising({ route, rate, seconds }) {
  const name = `${route}-rising`;
  const doublings = Math.ceil(Math.log2(highestRate / rate));
  const { startTime, scenarios } = warmedUp(route);
  scenarios[name] = {
    executor: 'ramping-arrival-rate',
    exec: route,
    startRate: rate,
    timeUnit: '1s',
    stages: Array.from({ length: doublings }, (_, n) => ({ target: rate * 2 ** (n + 1), duration: `${seconds}s` })),
    startTime: `${startTime}s`,
    env: { PARSED_SHARE: '0.02', ASKED_RATE: '5000', RISES_FROM: String(rate), DOUBLING_SECONDS: String(seconds) },
    preAllocatedVUs: mostUsers,
  };
  const row = { scenario: name, risesFrom: rate, budgetMs: p99Ms, expected: Infinity };
  const rows = withParts({ ...row, route, selector: `scenario:${name}` });
  const asThreshold = (threshold) => ({ threshold, abortOnFail: true, ...(threshold.startsWith('p(') && afterFirst) });
  return withOptions(scenarios, rows, { thresholds: thresholds(rows, asThreshold) });
}

/** @param {object} scenarios @param {Row[]} rows @param {object} [more] options of k6 */
export const withOptions = (scenarios, rows, more = {}) => ({
  rows,
  options: {
    scenarios,
    thresholds: thresholds(rows),
    setupTimeout: '2m',
    batchPerHost: 10,
    summaryTrendStats: ['med', 'p(90)', 'p(95)', 'p(99)', 'max'],
    // No more than the figures need: each tag costs k6 time with every request.
    systemTags: ['scenario', 'status', 'error_code', 'proto', 'name', 'expected_response'],
    ...more,
  },
});
