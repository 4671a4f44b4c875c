/** Milliseconds that 99 of 100 requests must be answered in. */
export const p99Ms = Number(__ENV.P99_MS || 10);

/** Times of answers: a refusal within a millisecond would make a service that answers nobody a fast one. */
export const durationOf = (selector) => `http_req_duration{${selector},expected_response:true}`;

const leastRequests = (rate, seconds) =>
  rate === undefined ? 'count>0' : `count>=${Math.max(1, Math.floor(rate * seconds * 0.99))}`;

/**
 * What each row of the figures must hold. A rate that was not reached is a failure of its own: without it a
 * load generator that stands still would pass. Of a part of a mix no number is asked, since its route is drawn, and what
 * was dropped is of no route yet: the whole has both.
 * @param {import('./loads.js').Row[]} rows
 * @returns {Record<string, string[]>} k6 thresholds
 */
export const thresholds = (rows) =>
  Object.fromEntries(
    rows.flatMap(({ selector, scenario, rate, seconds, budgetMs, isPart }) => [
      [durationOf(selector), [`p(99)<=${budgetMs}`]],
      [`errors{${selector}}`, ['rate==0']],
      // Named even where nothing is asked: k6 counts apart only what a threshold names.
      [`compared{${selector}}`, []],
      [`http_reqs{${selector}}`, isPart ? [] : [leastRequests(rate, seconds)]],
      ...(isPart ? [] : [[`dropped_iterations{scenario:${scenario}}`, ['count==0']]]),
      ...(rate === undefined ? [] : [[`late{scenario:${scenario}}`, []]]),
    ]),
  );
