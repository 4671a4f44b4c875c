'use strict';

/**
 * What a run has started and must stop, oldest first: neither a part that fails half-way nor Ctrl-C leaves a server behind.
 * @type {Set<() => Promise<void>>}
 */
const running = new Set();
const interruption = new AbortController();

/** For tools that run to their end: traffic generators, the loader. */
const interrupted = interruption.signal;

/**
 * @param {() => Promise<void>} stop
 * @returns {() => Promise<void>} stops only once, and every caller waits for that: by the second time the pid may belong
 *   to another process
 */
function register(stop) {
  /** @type {Promise<void> | undefined} */
  let stopping;
  const once = () => (stopping ??= stop().finally(() => running.delete(once)));
  running.add(once);
  return once;
}

/** Stops everything, the newest first, also after one cannot be stopped. */
async function stopAll() {
  for (const stop of [...running].reverse()) {
    await stop().catch((error) => console.error(`bench: while stopping: ${error.message}`));
  }
}

/** Stops everything that runs and the tools under way. */
async function interrupt() {
  interruption.abort();
  await stopAll();
}

module.exports = { register, stopAll, interrupt, interrupted };
