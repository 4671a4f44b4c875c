'use strict';
const fs = require('node:fs');
const path = require('node:path');

const mb = 1024 * 1024;
const v1 = '/sys/fs/cgroup/memory';
const [base, limitFile, eventsFile] = fs.existsSync(v1)
  ? [v1, 'memory.limit_in_bytes', 'memory.oom_control']
  : ['/sys/fs/cgroup', 'memory.max', 'memory.events'];

/**
 * A hard limit of memory (cgroup v1 or v2) for a command and all its children. The page cache counts, as on a machine of
 * that size.
 * @param {number} limitMb
 * @throws when this account may not make cgroups here
 */
function limitMemory(limitMb) {
  const folder = path.join(base, `catalog-test-${process.pid}`);
  fs.mkdirSync(folder);
  try {
    fs.writeFileSync(path.join(folder, limitFile), String(limitMb * mb));
  } catch (error) {
    fs.rmdirSync(folder);
    throw error;
  }
  return {
    /** @param {string[]} command @returns {string[]} the same under the limit */
    within: (command) => ['sh', '-c', 'echo $$ > "$0" && exec "$@"', path.join(folder, 'cgroup.procs'), ...command],
    /** @returns {number} processes that the kernel has killed for lack of memory */
    killed: () => Number(/^oom_kill (\d+)$/m.exec(fs.readFileSync(path.join(folder, eventsFile), 'utf8'))?.[1]),
    /** Call it after the last process has ended. */
    remove: () => fs.rmdirSync(folder),
  };
}

/** @returns {string | false} why no limit can be set here */
function cannotLimitMemory() {
  try {
    limitMemory(1024).remove();
    return false;
  } catch (error) {
    return `needs root and a writable cgroup (${/** @type {Error} */ (error).message})`;
  }
}

module.exports = { cannotLimitMemory, limitMemory };
