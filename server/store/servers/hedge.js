'use strict';

/**
 * Queries one server, and the next one when it fails or is silent for too long; the first good answer counts.
 * J. Dean, L. A. Barroso, "The Tail at Scale", CACM 56 (2013): a hedged request.
 * @template T
 * @param {(() => Promise<T>)[]} queries of two servers or more, in order of preference
 * @param {object} options
 * @param {number} options.delayMs mayAskNext is called after each such silence of the server that was queried last
 * @param {(index: number) => boolean} options.mayAskNext whether that one is late, so that it is time to query the next
 * @param {number} options.retryWithinMs a failure that took longer is final, unless another server is being queried
 * @returns {Promise<T>} rejects with the first one's error when all that were queried fail
 */
function hedged(queries, { delayMs, mayAskNext, retryWithinMs }) {
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    let [asked, failed] = [0, 0];
    /** @type {unknown} */
    let firstError;
    const timer = setInterval(() => mayAskNext(asked - 1) && ask(), delayMs);
    const ask = () => {
      const index = asked;
      asked += 1;
      if (asked === queries.length) clearInterval(timer);
      queries[index]().then(
        (answer) => {
          clearInterval(timer);
          resolve(answer);
        },
        (error) => {
          if (index === 0) firstError = error;
          failed += 1;
          if (asked < queries.length && performance.now() - startedMs < retryWithinMs) ask();
          else if (failed === asked) {
            clearInterval(timer);
            reject(firstError);
          }
        },
      );
    };
    ask();
  });
}

exports.hedged = hedged;
