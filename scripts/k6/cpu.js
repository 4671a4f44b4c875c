'use strict';
const fs = require('node:fs');
const { machineTicks, processTicks, ticksPerSecond } = require('../lib/proc');

/**
 * @param {number} pid of k6
 * @returns {{ machine: number, k6: number } | undefined} seconds of CPU so far; undefined where there is no /proc
 */
function cpuSeconds(pid) {
  try {
    const [machine, own] = ['/proc/stat', `/proc/${pid}/stat`].map((file) => fs.readFileSync(file, 'utf8'));
    const { busy, stolen } = machineTicks(machine);
    return {
      machine: (busy - stolen) / ticksPerSecond, // what the host gave to others, nobody here used
      k6: processTicks(own) / ticksPerSecond,
    };
  } catch {
    return undefined; // k6 has just ended
  }
}

module.exports = { cpuSeconds };
