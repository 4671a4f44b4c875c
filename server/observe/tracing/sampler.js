'use strict';

/**
 * Selects the requests that are logged or traced: a share of them, and never more than the cap. The cap bounds the cost under
 * traffic, and when a client marks each request as sampled. A token bucket spreads them over the second: all at its
 * beginning would be seen in the p99.
 * @param {{ ratio: number, maxPerSecond: number, random?: () => number, now?: () => number }} options now: ms
 * @returns {(wanted?: boolean) => boolean} wanted: the caller has decided that it is sampled
 */
function createSampler({ ratio, maxPerSecond, random = Math.random, now = () => performance.now() }) {
  let tokens = maxPerSecond;
  let filledMs = now();
  return (wanted = false) => {
    if (!wanted && random() >= ratio) return false;
    const nowMs = now();
    tokens = Math.min(maxPerSecond, tokens + ((nowMs - filledMs) / 1000) * maxPerSecond);
    filledMs = nowMs;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

exports.createSampler = createSampler;
