'use strict';

const { performance } = require('node:perf_hooks');
const { stat, statfs } = require('node:fs/promises');

const { Counter, Gauge } = require('@prometheus-io/client');

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

/** @typedef {(name: string, help: string, read: (gauge: Gauge<string>) => unknown, labelNames?: string[]) => void} Show */

/**
 * The gauges that every program shows.
 * @typedef {Pick<import('./gauges').Gauges, 'ready' | 'lagMs' | 'diskPaths' | 'build'>} CommonGauges
 */

/** @param {import('../config/config').Config} config */
const diskPathsOf = ({ DISK_PATHS }) => (DISK_PATHS ? DISK_PATHS.split(':') : [__dirname]);

/** @param {import('@prometheus-io/client').Registry} registry @returns {Show} */
const showOn =
  (registry) =>
  (name, help, read, labelNames = []) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        await read(this);
      },
    });

/** @param {CommonGauges} gauges @param {import('@prometheus-io/client').Registry} registry */
function showCommonGauges(gauges, registry) {
  const show = showOn(registry);
  show('catalog_ready', '1 while /readyz returns 200', (gauge) => gauge.set(Number(gauges.ready())));
  show('catalog_event_loop_lag_seconds', 'How late the event loop ran at its last sample', (gauge) =>
    gauge.set(gauges.lagMs() / 1000),
  );
  show('catalog_build_info', 'Always 1; the labels name what runs', (gauge) => gauge.set(gauges.build, 1), [
    'version',
    'code',
    'node_version',
  ]);
  showDisks(gauges.diskPaths, show);
  countLoopSeconds(registry);
}

/**
 * Node counts these itself; their rates show how much of a core is used long before the loop is late.
 * @param {import('@prometheus-io/client').Registry} registry
 */
function countLoopSeconds(registry) {
  new Counter({
    name: 'catalog_event_loop_seconds_total',
    help: 'Time the event loop was active (running code) or idle (waiting)',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { active, idle } = performance.eventLoopUtilization();
      this.reset();
      this.inc({ state: 'active' }, active / 1000);
      this.inc({ state: 'idle' }, idle / 1000);
    },
  });
}

exports.diskPathsOf = diskPathsOf;
exports.showCommonGauges = showCommonGauges;
exports.showOn = showOn;
