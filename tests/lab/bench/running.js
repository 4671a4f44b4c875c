'use strict';
const { sizeOf, tail } = require('../../../scripts/lib/process');

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

/** How servers have ended that were neither stopped nor killed. @type {string[]} */
let ended = [];

/** @returns {string[]} those since the last call */
function takeEnded() {
  const taken = ended;
  ended = [];
  return taken;
}

/**
 * A server of a part. One that ends before the part stops or kills it is an error of the part.
 * @param {string} name @param {Pick<import('../../../scripts/lib/process').Daemon, 'pid' | 'exited'>} server just started
 * @param {{ log: string, stop: () => Promise<void> }} options
 */
function registerServer(name, { pid, exited }, { log, stop }) {
  const logged = sizeOf(log);
  let isOver = false;
  /** @type {string | undefined} */
  let how;
  exited.then((end) => {
    how = `${name} (process ${pid}) ended: ${end}. The end of ${log}:\n${tail(log, 5, logged)}`;
    if (!isOver && !interrupted.aborted) ended.push(how);
  });
  const stopping = register(() => {
    isOver = true;
    return stop();
  });
  /** A part's own kill -9. @throws {Error} when it has ended before */
  async function kill() {
    if (how !== undefined) throw new Error(`cannot kill ${how}`);
    isOver = true;
    process.kill(pid, 'SIGKILL');
    await exited;
  }
  return { stop: stopping, kill };
}

/** @typedef {import('./targets').Row} Row */
/** @type {(row: Row) => void} */
let keep = () => {};
/** @param {(row: Row) => void} callback gets what a part measures, as it does: the part may fail after an hour */
const onRow = (callback) => void (keep = callback);
/** @param {Row} row that is measured */
const keepRow = (row) => keep(row);

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

module.exports = { ...{ interrupt, interrupted, keepRow, onRow }, ...{ register, registerServer, stopAll, takeEnded } };
