'use strict';
const fs = require('node:fs');

/** USER_HZ: what /proc counts in, 100 a second on every machine that Node is built for (time(7)). */
const ticksPerSecond = 100;

/** @param {string} text of /proc/stat @returns {number} ticks of cores at work or taken by the hypervisor (proc(5)) */
function busyTicks(text) {
  const fields = text.split('\n', 1)[0].trim().split(/\s+/).slice(1).map(Number);
  const [user, nice, system, , , irq, softirq, steal] = fields;
  return user + nice + system + irq + softirq + (steal ?? 0);
}

/** @param {string} text of /proc/PID/stat @returns {number} utime + stime; the name before them may hold blanks */
function processTicks(text) {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/**
 * @param {number} pid of k6
 * @returns {{ machine: number, k6: number } | undefined} seconds of CPU so far; undefined where there is no /proc
 */
function cpuSeconds(pid) {
  try {
    const [machine, own] = ['/proc/stat', `/proc/${pid}/stat`].map((file) =>
      fs.readFileSync(file, 'utf8'),
    );
    return { machine: busyTicks(machine) / ticksPerSecond, k6: processTicks(own) / ticksPerSecond };
  } catch {
    return undefined; // k6 has just ended
  }
}

module.exports = { busyTicks, cpuSeconds, processTicks };
