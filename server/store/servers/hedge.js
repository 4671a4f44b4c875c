'use strict';

/**
 * Queries one server, and a second one when the first fails or is silent for too long; the first good answer counts.
 * J. Dean, L. A. Barroso, "The Tail at Scale", CACM 56 (2013): a hedged request.
 * @template T
 * @param {() => Promise<T>} first
 * @param {() => Promise<T>} second
 * @param {object} options
 * @param {number} options.delayMs mayAskSecond is called after each such silence of the first
 * @param {() => boolean} options.mayAskSecond whether it is time to query the second
 * @param {number} options.retryWithinMs a failure that took longer is final, unless the second is being queried
 * @returns {Promise<T>} rejects with the first's error when both fail
 */
function hedged(first, second, { delayMs, mayAskSecond, retryWithinMs }) {
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    /** @type {Promise<void> | null} */
    let backup = null;
    /** @type {unknown} */
    let firstError;
    let failures = 0;
    const fail = () => {
      failures += 1;
      if (failures === 2) reject(firstError);
    };
    const askSecond = () => {
      backup ??= second().then(resolve, fail);
    };
    const timer = setInterval(() => {
      if (!mayAskSecond()) return;
      clearInterval(timer);
      askSecond();
    }, delayMs);
    first()
      .then(resolve, (error) => {
        firstError = error;
        fail();
        if (performance.now() - startedMs < retryWithinMs) askSecond();
        else if (!backup) reject(error);
      })
      .finally(() => clearInterval(timer));
  });
}

exports.hedged = hedged;
