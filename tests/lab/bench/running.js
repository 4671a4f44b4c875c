'use strict';
const { sizeOf, tail } = require('../../../scripts/lib/process');

/**
 * A run has started these and must stop them, oldest first: neither a part that fails half-way nor Ctrl-C leaves a server behind.
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

/** How servers have ended that were not stopped. @type {string[]} */
let ended = [];

/** @returns {string[]} those since the last call */
function takeEnded() {
  const taken = ended;
  ended = [];
  return taken;
}

/**
 * A server of a part. One that ends before the part stops it is an error of the part.
 * @param {string} name @param {Pick<import('../../../scripts/lib/process').Daemon, 'pid' | 'exited'>} server just started
 * @param {{ log: string, stop: () => Promise<void> }} options
 */
function registerServer(name, { pid, exited }, { log, stop }) {
  const logged = sizeOf(log);
  let isOver = false;
  exited.then((end) => {
    if (isOver || interrupted.aborted) return;
    ended.push(`${name} (process ${pid}) ended: ${end}. The end of ${log}:\n${tail(log, 5, logged)}`);
  });
  return register(() => {
    isOver = true;
    return stop();
  });
}

/** Stops everything, the newest first, also after one cannot be stopped. */
async function stopAll() {
  for (const stop of [...running].reverse())
    await stop().catch((error) => console.error(`bench: while stopping: ${error.message}`));
}

/** Stops everything that runs and the tools under way. */
async function interrupt() {
  interruption.abort();
  await stopAll();
}

module.exports = { interrupt, interrupted, register, registerServer, stopAll, takeEnded };
