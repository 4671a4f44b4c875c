'use strict';

/**
 * Asks one server, and a second one when the first fails or is silent for too long; the first good answer counts.
 * J. Dean, L. A. Barroso, "The Tail at Scale", CACM 56 (2013): a hedged request.
 * @template T
 * @param {() => Promise<T>} first
 * @param {() => Promise<T>} second
 * @param {{ delayMs: number, late: () => void }} options `late`: the first was silent for delayMs
 * @returns {Promise<T>} rejects with the first's error when both fail
 */
function hedged(first, second, { delayMs, late }) {
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
    const timer = setTimeout(() => {
      late();
      askSecond();
    }, delayMs);
    first()
      .then(resolve, (error) => {
        firstError = error;
        fail();
        askSecond();
      })
      .finally(() => clearTimeout(timer));
  });
}

exports.hedged = hedged;
