import { p99Ms, thresholds } from './budgets.js';
import { routeNames } from './routes.js';

/**
 * A row of the figures.
 * @typedef {object} Row
 * @property {string} scenario
 * @property {string} route
 * @property {number} [rate] requests a second that are asked for; none inside a mix
 * @property {number} [seconds] none where no rate is held
 * @property {string} selector of the k6 metrics
 * @property {number} budgetMs for 99 of 100 requests
 * @property {boolean} [isPart] a route of a mix, whose row stands before it
 */

/**
 * A rate that is held for a while.
 * @typedef {{ route: string, rate: number, seconds: number, name?: string, budgetMs?: number }} Rung
 */

/** Connections, the JIT and the caches of the machine; not counted. */
const warmUp = { rate: 50, seconds: 3 };

/** Between two rungs: requests of the one must not meet those of the other. */
const pauseSeconds = 1;

/** @param {string} text `90s`, `5m` or `2h` @returns {number} seconds */
export function secondsOf(text) {
  const [, number, unit] = /^(\d+)(s|m|h)$/.exec(text) ?? [];
  if (!unit) throw new Error(`${text} is not a duration: write 90s, 5m or 2h`);
  return Number(number) * { s: 1, m: 60, h: 3600 }[unit];
}

/** Milliseconds that nothing may be answered and yet every request is sent: there are users for it. */
const stallMs = 200;

/**
 * Users that are there from the start: a request that finds none is dropped, which fails. Each costs k6 memory, so a
 * thousand at most; at a rate that needs more, stalls are shorter.
 * @param {number} rate @param {number} budgetMs
 */
const usersFor = (rate, budgetMs) =>
  Math.min(1000, Math.max(20, Math.ceil((rate * Math.max(stallMs, budgetMs)) / 1000)));

/** Replies that are parsed whole in a second, about: all of a slow rung, some of a fast one. */
const parsedPerSecond = 100;

/** An arrival rate, not looping users: a slow server must not lower the load that measures it. */
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

/** @param {Rung} rung @returns {Row[]} */
function rowsOf({ route, rate, seconds, budgetMs = p99Ms, name = `${route}-${rate}` }) {
  const row = { scenario: name, seconds, budgetMs };
  const whole = { ...row, route, rate, selector: `scenario:${name}` };
  if (route !== 'mix') return [whole];
  const parts = routeNames.map((part) => ({
    ...row,
    route: part,
    isPart: true,
    selector: `scenario:${name},route:${part}`,
  }));
  return [whole, ...parts];
}

/**
 * One rung after another.
 * @param {Rung[]} rungs
 * @param {{ pause?: number }} [gaps] seconds between two
 * @returns {{ rows: Row[], options: object }} for the figures, and for k6
 */
export function inSequence(rungs, { pause = pauseSeconds } = {}) {
  let startSeconds = warmUp.seconds + pauseSeconds;
  const scenarios = { 'warm-up': steady({ ...warmUp, exec: rungs[0].route, startSeconds: 0 }) };
  for (const rung of rungs) {
    const { route, rate, seconds, name = `${route}-${rate}` } = rung;
    scenarios[name] = steady({ ...rung, exec: route, startSeconds });
    startSeconds += seconds + pause;
  }
  return withOptions(scenarios, rungs.flatMap(rowsOf));
}

/** @param {Rung[]} rungs all at once */
export function together(rungs) {
  const scenarios = rungs.map((rung) => [
    `${rung.route}-${rung.rate}`,
    steady({ ...rung, exec: rung.route, startSeconds: 0 }),
  ]);
  return withOptions(Object.fromEntries(scenarios), rungs.flatMap(rowsOf));
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
    // What the figures are made of and no more: each tag is paid for with every request.
    systemTags: ['scenario', 'status', 'error_code', 'proto', 'name', 'expected_response'],
    ...more,
  },
});
