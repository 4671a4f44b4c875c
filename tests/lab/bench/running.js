'use strict';

const interruption = new AbortController();
/** For tools that run to their end: traffic generators, the loader. */
const interrupted = interruption.signal;

/** How to stop what a part has started: neither one that fails half-way nor Ctrl-C leaves a server behind. @type {(() => Promise<void>)[]} */
const running = [];

/**
 * @param {() => Promise<unknown>} stop
 * @returns {() => Promise<void>} stops only once, and every caller waits for that: by the second time the pid may belong to another process
 */
function register(stop) {
  /** @type {Promise<unknown> | undefined} */
  let stopping;
  const once = async () => void (await (stopping ??= stop()));
  running.push(once);
  return once;
}

/** Stops everything, the newest first, also after one cannot be stopped. */
async function stopAll() {
  for (const stop of running.splice(0).reverse())
    await stop().catch((error) => console.error(`bench: while stopping: ${error.message}`));
}

/** Stops everything that runs and the tools under way. */
async function interrupt() {
  interruption.abort();
  await stopAll();
}

module.exports = { interrupt, interrupted, register, stopAll };
