'use strict';

/**
 * What a run has started and must stop, oldest first. A part that fails half-way, and Ctrl-C, leave nothing behind
 * without each part having to think of it.
 * @type {Set<() => Promise<void>>}
 */
const running = new Set();
const interruption = new AbortController();

/** Told to tools that run to their end: load generators, the loader. */
const interrupted = interruption.signal;

/**
 * @param {() => Promise<void>} stop
 * @returns {() => Promise<void>} the same, but it stops only once, and whoever asks waits for that: the pid may be a
 *   stranger's by the second time
 */
function register(stop) {
  /** @type {Promise<void> | undefined} */
  let stopping;
  const once = () => (stopping ??= stop().finally(() => running.delete(once)));
  running.add(once);
  return once;
}

/** Stops everything, the newest first; one that cannot be stopped does not keep the others. */
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
