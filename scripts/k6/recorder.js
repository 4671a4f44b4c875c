'use strict';
const { get } = require('../lib/probe');
const { cpuSeconds } = require('./cpu');
const { parseMetrics } = require('./prometheus');
const { between, totals } = require('./server-figures');

/** @typedef {{ t: number, groups: import('./server-figures').Groups }} ServerPoint `t` seconds since the epoch */

/** @param {string[]} urls @returns {Promise<import('./server-figures').Metrics[]>} of each worker; empty when one is silent */
const scrape = (urls) =>
  Promise.all(
    urls.map(async (url) => {
      const { status, body } = await get(url);
      return status === 200 ? parseMetrics(body) : new Map();
    }),
  );

const sum = (/** @type {Record<string, number>} */ lines) =>
  Object.values(lines).reduce((total, value) => total + value, 0);

/**
 * Watches workers and machine beside the load.
 * @param {object} options
 * @param {string[]} options.metrics addresses
 * @param {boolean} options.local whether the workers run on this machine, so that the rest of its CPU is told too
 * @param {(point: ServerPoint) => void} options.onPoint
 * @param {number} [options.everyMs]
 */
function startRecorder({ metrics, local, onPoint, everyMs = 1000 }) {
  let k6Pid = 0;
  /** @type {{ ms: number, totals: import('./server-figures').Groups, cpu: ReturnType<typeof cpuSeconds> } | undefined} */
  let last;

  async function record() {
    const [workers, cpu] = [await scrape(metrics), cpuSeconds(k6Pid)];
    const now = { ms: Date.now(), totals: totals(workers), cpu };
    const before = last;
    // A silent worker leaves a gap: sums without it, and once more with it, would jump.
    last = workers.every(({ size }) => size > 0) ? now : undefined;
    if (!before || !last) return;
    const seconds = (now.ms - before.ms) / 1000;
    const groups = between(before.totals, now.totals, seconds);
    if (cpu && before.cpu && cpu.k6 >= before.cpu.k6) {
      const k6 = (cpu.k6 - before.cpu.k6) / seconds;
      const busy = (cpu.machine - before.cpu.machine) / seconds;
      const ofWorkers = sum(groups.cpu ?? {});
      groups.cpu = { ...groups.cpu, k6 };
      // The rest, Redis among it, is told as one: its processes are not ours to know.
      if (local) groups.cpu['PostgreSQL, nginx, others'] = Math.max(0, busy - k6 - ofWorkers);
    }
    onPoint({ t: now.ms / 1000, groups });
  }

  let busy = false;
  const timer = setInterval(async () => {
    if (busy || k6Pid === 0) return; // a slow scrape is not followed by two
    busy = true;
    await record().finally(() => (busy = false));
  }, everyMs);
  return {
    /** @param {number} pid of the k6 that runs now */
    watch: (pid) => void (k6Pid = pid),
    stop: () => clearInterval(timer),
  };
}

module.exports = { startRecorder };
