'use strict';

/**
 * Says which requests are looked at closely: a share of them, and never more than so many a second. The
 * cap makes the cost a constant: no load, and no caller who marks each request as sampled, raises it.
 * @param {{ ratio: number, maxPerSecond: number, random?: () => number, now?: () => number }} options now: ms
 * @returns {(wanted?: boolean) => boolean} wanted: the caller has decided that it is sampled
 */
function createSampler({
  ratio,
  maxPerSecond,
  random = Math.random,
  now = () => performance.now(),
}) {
  let secondEndsMs = -Infinity;
  let left = 0;
  return (wanted = false) => {
    if (!wanted && random() >= ratio) return false;
    const nowMs = now();
    if (nowMs >= secondEndsMs) {
      secondEndsMs = nowMs + 1000;
      left = maxPerSecond;
    }
    left -= 1;
    return left >= 0;
  };
}

exports.createSampler = createSampler;
