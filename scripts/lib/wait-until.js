'use strict';
const { setTimeout: sleep } = require('node:timers/promises');

const pollMs = 50;

/**
 * @param {() => boolean | Promise<boolean>} condition @param {number} timeoutMs
 * @returns {Promise<boolean>} whether it came true in time
 */
async function waitUntil(condition, timeoutMs) {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await sleep(pollMs);
  }
  return true;
}

module.exports = { waitUntil };
