'use strict';
const fs = require('node:fs');
const { processTicks, ticksPerSecond } = require('../lib/proc');

/** @param {string} text of /proc/stat @returns {number} ticks of cores at work or taken by the hypervisor (proc(5)) */
function busyTicks(text) {
  const fields = text.split('\n', 1)[0].trim().split(/\s+/).slice(1).map(Number);
  const [user, nice, system, , , irq, softirq, steal] = fields;
  return user + nice + system + irq + softirq + (steal ?? 0);
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

module.exports = { busyTicks, cpuSeconds };
