'use strict';
const fs = require('node:fs');
const path = require('node:path');

const mb = 1024 * 1024;
const v1 = '/sys/fs/cgroup/memory';
const v2 = '/sys/fs/cgroup';

/**
 * @typedef {object} Limit
 * @property {() => number} peakMb the most that all processes took together, page cache included
 * @property {() => number} killed processes that did not fit and were killed by the kernel
 * @property {() => void} leave
 */

/** @param {string} file @param {string | number} value */
const write = (file, value) => fs.writeFileSync(file, String(value));

/**
 * Puts this process, and with it all that it starts from now on, under a hard limit of memory (cgroup v1 or v2). The
 * page cache counts, as on a machine of that size; what passes the limit is killed.
 * @param {number} limitMb
 * @returns {Limit}
 * @throws when this account may not make cgroups here
 */
function limitMemory(limitMb) {
  const version = fs.existsSync(v1) ? 1 : 2;
  const base = version === 1 ? v1 : v2;
  const folder = path.join(base, `catalog-bench-${process.pid}`);
  fs.mkdirSync(folder);
  const names =
    version === 1
      ? {
          limit: 'memory.limit_in_bytes',
          peak: 'memory.max_usage_in_bytes',
          events: 'memory.oom_control',
        }
      : { limit: 'memory.max', peak: 'memory.peak', events: 'memory.events' };
  const read = (/** @type {string} */ name) => fs.readFileSync(path.join(folder, name), 'utf8');
  write(path.join(folder, names.limit), limitMb * mb);
  const before = path.join(base, ownGroup(version), 'cgroup.procs');
  write(path.join(folder, 'cgroup.procs'), process.pid);
  return {
    peakMb: () => Number(read(names.peak)) / mb,
    killed: () => Number(/^oom_kill (\d+)$/m.exec(read(names.events))?.[1]),
    leave: () => {
      write(before, process.pid);
      fs.rmdirSync(folder);
    },
  };
}

/** @param {number} version @returns {string} where this process is now, below the root of the hierarchy */
function ownGroup(version) {
  const lines = fs.readFileSync('/proc/self/cgroup', 'utf8').split('\n');
  const mark = version === 1 ? ':memory:' : '0::';
  return lines.find((line) => line.includes(mark))?.split(mark)[1] ?? '/';
}

module.exports = { limitMemory };
