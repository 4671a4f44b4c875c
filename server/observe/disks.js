'use strict';

const { stat, statfs } = require('node:fs/promises');

/** @param {string[]} diskPaths @param {import('./gauges').Show} show */
function showDisks(diskPaths, show) {
  /** @param {import('@prometheus-io/client').Gauge<string>} gauge @param {(disk: import('node:fs').StatsFs) => number} read */
  const each = async (gauge, read) => {
    const disks = await disksOf(diskPaths);
    gauge.reset(); // of what is no longer there
    for (const [path, disk] of disks) gauge.set({ path }, read(disk));
  };
  show(
    'catalog_disk_available_bytes',
    'Free on a file system, named by the first path of DISK_PATHS that is on it',
    (gauge) => each(gauge, ({ bavail, bsize }) => bavail * bsize),
    ['path'],
  );
  show(
    'catalog_disk_size_bytes',
    'Size of a file system',
    (gauge) => each(gauge, ({ blocks, bsize }) => blocks * bsize),
    ['path'],
  );
}

/**
 * One for each file system. Missing paths are left out, so that one list works for nodes of every role.
 * @param {string[]} paths
 * @returns {Promise<(readonly [path: string, disk: import('node:fs').StatsFs])[]>}
 */
async function disksOf(paths) {
  const devices = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ dev }) => dev,
        () => null,
      ),
    ),
  );
  const first = paths.filter((_, index) => devices[index] !== null && devices.indexOf(devices[index]) === index);
  return Promise.all(first.map(async (path) => /** @type {const} */ ([path, await statfs(path)])));
}

exports.showDisks = showDisks;
