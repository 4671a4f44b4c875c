'use strict';
const { get } = require('../lib/probe');
const { machineTicks, processTicks, readOrNothing, ticksPerSecond } = require('../lib/proc');
const { between, parseMetrics, totals } = require('./server-figures');

/** @typedef {{ t: number, groups: import('./server-figures').Groups }} ServerPoint `t` seconds since the epoch */
/** @typedef {{ windows: import('./timeline').Window[], server: ServerPoint[] }} Recording a run, second by second */

/** @param {number} pid of k6 @returns {{ machine: number, k6: number } | undefined} seconds of CPU so far; undefined if k6 has ended */
function cpuSeconds(pid) {
  const [machine, own] = ['/proc/stat', `/proc/${pid}/stat`].map(readOrNothing);
  if (!machine || !own) return undefined;
  const { busy, stolen } = machineTicks(machine); // stolen: the host gave it to other machines
  return { machine: (busy - stolen) / ticksPerSecond, k6: processTicks(own) / ticksPerSecond };
}

/** @param {string} url @returns {Promise<import('./server-figures').Metrics>} empty if the worker is silent */
async function scrape(url) {
  const { status, body } = await get(url);
  return status === 200 ? parseMetrics(body) : new Map();
}

/**
 * Records workers and machine each full second, as k6 counts its own seconds.
 * @param {{ metrics: string[], local: boolean, onPoint: (point: ServerPoint) => void, everyMs?: number }} options `metrics`: addresses;
 *   `local`: the workers run on this machine, so the rest of its CPU is shown, too
 */
function startRecorder({ metrics, local, onPoint, everyMs = 1000 }) {
  let k6Pid = 0;
  /** @type {{ ms: number, totals: import('./server-figures').Groups, cpu: ReturnType<typeof cpuSeconds> } | undefined} */
  let last;

  async function record() {
    const ms = Date.now();
    const [workers, cpu] = [await Promise.all(metrics.map(scrape)), cpuSeconds(k6Pid)];
    const before = last;
    // A silent worker leaves a gap: sums without it, and with it again, would jump.
    last = workers.every(({ size }) => size > 0) ? { ms, totals: totals(workers), cpu } : undefined;
    if (!before || !last) return;
    const seconds = (ms - before.ms) / 1000;
    const groups = between(before.totals, last.totals, seconds);
    if (cpu && before.cpu && cpu.k6 >= before.cpu.k6) {
      const k6 = (cpu.k6 - before.cpu.k6) / seconds;
      const busy = (cpu.machine - before.cpu.machine) / seconds;
      const rest = Object.values(groups.cpu ?? {}).reduce((left, value) => left - value, busy - k6);
      groups.cpu = { k6, ...groups.cpu, ...(local ? { 'all else (PostgreSQL, nginx, …)': Math.max(0, rest) } : {}) };
      groups.machine = { busy };
    }
    onPoint({ t: ms / 1000, groups });
  }

  /** @type {NodeJS.Timeout | undefined} */
  let timer = setTimeout(tick);
  async function tick() {
    if (k6Pid !== 0) await record();
    if (timer) timer = setTimeout(tick, everyMs - (Date.now() % everyMs));
  }
  return {
    /** @param {number} pid of the k6 that runs now */
    watch: (pid) => void (k6Pid = pid),
    stop: () => (clearTimeout(timer), (timer = undefined)),
  };
}

module.exports = { startRecorder };
