/** Milliseconds within which 99 of 100 requests are answered. */
export const p99Ms = Number(__ENV.P99_MS || 10);

/** With fewer requests the p99 is the slowest one, which is chance. */
const leastForP99 = 100;

/** The routes of a mix are drawn, so a part may get fewer requests than expected. */
const leastForPart = 200;

/** k6 that is later than this sends another rate than it should. */
const leastLateMs = 100;

/** Only expected replies: otherwise an immediate refusal would make the service fast. */
export const durationOf = (selector) => `http_req_duration{${selector},expected_response:true}`;

const leastRequests = (rate, seconds) =>
  rate === undefined ? 'count>0' : `count>=${Math.max(1, Math.floor(rate * seconds * 0.99))}`;

/** @param {import('./loads.js').Row} row @param {(limit: string) => string | object} asThreshold */
const thresholdsOf = ({ selector, scenario, rate, risesFrom, seconds, budgetMs, isPart, expected }, asThreshold) => [
  [durationOf(selector), expected < (isPart ? leastForPart : leastForP99) ? [] : [asThreshold(`p(99)<=${budgetMs}`)]],
  [`errors{${selector}}`, [asThreshold('rate==0')]],
  // An empty list: k6 counts a selection separately only if a threshold names it.
  [`compared{${selector}}`, []],
  [`outdated{${selector}}`, []],
  [`http_reqs{${selector}}`, isPart ? [] : [leastRequests(rate, seconds)]],
  ...(isPart ? [] : [[`dropped_iterations{scenario:${scenario}}`, [asThreshold('count==0')]]]),
  ...(rate === undefined ? [] : [[`late{scenario:${scenario}}`, []]]),
  // k6 drops nothing where it starts requests too slowly: without this, a rate that nobody sent would be held.
  ...(risesFrom && !isPart
    ? [[`late{scenario:${scenario}}`, [asThreshold(`p(99)<=${Math.max(budgetMs, leastLateMs)}`)]]]
    : []),
];

/**
 * Thresholds of each row of the figures. A rate that was not reached is a failure of its own, so that a stalled traffic
 * generator does not pass. The parts of a mix have no count and no dropped requests of their own: the route is drawn
 * when a request is sent.
 * @param {import('./loads.js').Row[]} rows
 * @param {(limit: string) => string | object} [asThreshold] of what a run may end for
 * @returns {Record<string, (string | object)[]>} k6 thresholds
 */
export const thresholds = (rows, asThreshold = (limit) => limit) => ({
  ended_workers: ['count==0'],
  ...Object.fromEntries(rows.flatMap((row) => thresholdsOf(row, asThreshold))),
});
