/** Milliseconds within which 99 of 100 requests are answered. */
export const p99Ms = Number(__ENV.P99_MS || 10);

/** With fewer requests the p99 is the slowest one, which is chance. */
const leastForP99 = 100;

/** Only expected replies: otherwise an immediate refusal would make the service fast. */
export const durationOf = (selector) => `http_req_duration{${selector},expected_response:true}`;

const leastRequests = (rate, seconds) =>
  rate === undefined ? 'count>0' : `count>=${Math.max(1, Math.floor(rate * seconds * 0.99))}`;

/**
 * Thresholds of each row of the figures. A rate that was not reached is a failure of its own, so that a stalled traffic
 * generator does not pass. The parts of a mix have no count and no dropped requests of their own: the route is drawn
 * when a request is sent.
 * @param {import('./loads.js').Row[]} rows
 * @returns {Record<string, string[]>} k6 thresholds
 */
export const thresholds = (rows) =>
  Object.fromEntries(
    rows.flatMap(({ selector, scenario, rate, seconds, budgetMs, isPart, expected }) => [
      [durationOf(selector), expected < leastForP99 ? [] : [`p(99)<=${budgetMs}`]],
      [`errors{${selector}}`, ['rate==0']],
      // An empty list: k6 counts a selection separately only if a threshold names it.
      [`compared{${selector}}`, []],
      [`http_reqs{${selector}}`, isPart ? [] : [leastRequests(rate, seconds)]],
      ...(isPart ? [] : [[`dropped_iterations{scenario:${scenario}}`, ['count==0']]]),
      ...(rate === undefined ? [] : [[`late{scenario:${scenario}}`, []]]),
    ]),
  );
