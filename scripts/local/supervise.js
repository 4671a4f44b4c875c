'use strict';
const { setTimeout: sleep } = require('node:timers/promises');

/**
 * @typedef {object} Server one that runs
 * @property {number} pid
 * @property {Promise<string>} exited
 * @property {() => Promise<void>} stop
 */

const firstDelayMs = 500;
const longestDelayMs = 15_000;
const steadyMs = 60_000; // after so long the back-off starts again

/**
 * nginx's workers outlive a killed master and keep its port.
 * @param {number} pid of a server that ended, the leader of its group
 */
function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // the group has ended
  }
}

/**
 * Starts a server, and restarts it when it ends by itself.
 * @template {Server} T
 * @param {object} options @param {string} options.name as the operator reads it
 * @param {() => Promise<T>} options.start @param {(line: string) => void} options.say
 * @returns {Promise<{ first: T, stop: () => Promise<void> }>} `first`: of the first start; DSNs in it stay true
 */
async function supervise({ name, start, say }) {
  const halt = new AbortController();
  const halted = new Promise((resolve) => halt.signal.addEventListener('abort', resolve));
  const first = await start();
  let current = first;
  /** @type {Server | undefined} another process may have its pid by now */
  let ended;
  const guard = keepRunning();

  async function keepRunning() {
    let delayMs = firstDelayMs;
    while (!halt.signal.aborted) {
      const since = performance.now();
      const how = await Promise.race([current.exited, halted]);
      if (halt.signal.aborted) return;
      killGroup(current.pid);
      ended = current;
      if (performance.now() - since > steadyMs) delayMs = firstDelayMs;
      say(`${name} ended (${how}): starting it again`);
      delayMs = await startAgain(delayMs);
    }
  }

  /** @param {number} delayMs @returns {Promise<number>} the next delay */
  async function startAgain(delayMs) {
    for (;;) {
      await sleep(delayMs, undefined, { signal: halt.signal }).catch(() => {});
      if (halt.signal.aborted) return delayMs;
      const next = Math.min(delayMs * 2, longestDelayMs);
      try {
        current = await start();
        say(`${name} runs again`);
        return next;
      } catch (error) {
        say(`${name}: ${/** @type {Error} */ (error).message.split('\n')[0]}; trying again`);
        delayMs = next;
      }
    }
  }

  const stop = async () => {
    halt.abort();
    await guard;
    if (current !== ended) await current.stop();
  };
  return { first, stop };
}

module.exports = { supervise };
