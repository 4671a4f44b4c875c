'use strict';

const { performance } = require('node:perf_hooks');

const { Counter, Gauge } = require('@prometheus-io/client');

const { showDisks } = require('./disks');

/**
 * @typedef {object} Gauges what is read at the moment of a scrape
 * @property {() => number} l1Bytes
 * @property {() => number} l1Entries
 * @property {number} l1MaxBytes
 * @property {() => { reads: number, bytes: number }} l1Read so far
 * @property {() => import('../http/reply').AtOnce} atOnce so far
 * @property {() => Record<string, { ready: number, inFlight: number }>} lanes of the database, by name
 * @property {boolean} replicaConfigured
 * @property {boolean} redisConfigured
 * @property {() => boolean} redisUp
 * @property {() => number} lagMs of the event loop, last sample
 * @property {() => boolean} ready as /readyz says
 * @property {() => string | null} version the data version's token
 * @property {string[]} diskPaths
 * @property {{ version: string, code: string, node_version: string }} build
 */

/**
 * @param {Gauges} gauges
 * @param {import('@prometheus-io/client').Registry} registry
 */
function showGauges(gauges, registry) {
  const registers = [registry];
  /** @param {string} name @param {string} help @param {(gauge: Gauge<string>) => unknown} read @param {string[]} [labelNames] */
  const show = (name, help, read, labelNames = []) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        await read(this);
      },
    });
  /** @param {(state: { lane: string, ready: number, inFlight: number }) => void} visit */
  const eachLane = (visit) =>
    Object.entries(gauges.lanes()).forEach(([lane, { ready, inFlight }]) => visit({ lane, ready, inFlight }));
  show('catalog_ready', '1 while /readyz says yes', (gauge) => gauge.set(Number(gauges.ready())));
  show('catalog_l1_bytes', 'Bytes held by L1', (gauge) => gauge.set(gauges.l1Bytes()));
  show('catalog_l1_max_bytes', 'Bytes L1 may hold', (gauge) => gauge.set(gauges.l1MaxBytes));
  show('catalog_l1_entries', 'Replies held by L1', (gauge) => gauge.set(gauges.l1Entries()));
  show('catalog_redis_up', '1 while Redis is used', (gauge) => gauge.set(Number(gauges.redisUp())));
  show('catalog_redis_configured', '1 when REDIS_URL is set', (gauge) => gauge.set(Number(gauges.redisConfigured)));
  show('catalog_event_loop_lag_seconds', 'How late the event loop ran at its last sample', (gauge) =>
    gauge.set(gauges.lagMs() / 1000),
  );
  show(
    'catalog_database_connections',
    'Usable database connections',
    (gauge) => eachLane(({ lane, ready }) => gauge.set({ lane }, ready)),
    ['lane'],
  );
  show(
    'catalog_database_in_flight',
    'Queries waiting for the database',
    (gauge) => eachLane(({ lane, inFlight }) => gauge.set({ lane }, inFlight)),
    ['lane'],
  );
  show('catalog_build_info', 'Always 1; the labels tell what runs', (gauge) => gauge.set(gauges.build, 1), [
    'version',
    'code',
    'node_version',
  ]);
  showVersion(gauges, show);
  showDisks(gauges.diskPaths, show);
  countLoopSeconds(registry);
}

/** @typedef {(name: string, help: string, read: (gauge: Gauge<string>) => unknown, labelNames?: string[]) => void} Show */

/**
 * The token is "number-microseconds" (store/queries/server_status.sql): both halves are figures to plot.
 * @param {Gauges} gauges @param {Show} show
 */
function showVersion(gauges, show) {
  const part = (/** @type {number} */ index) => Number((gauges.version() ?? '0-0').split('-')[index]);
  show('catalog_data_version', 'Number of the data version served; 0 when none is known', (gauge) =>
    gauge.set(part(0)),
  );
  show('catalog_data_version_timestamp_seconds', 'When the data last changed, by the clock of the database', (gauge) =>
    gauge.set(part(1) / 1e6),
  );
}

/**
 * Node counts these itself; their rates tell how much of a core is taken long before anything is late.
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

exports.showGauges = showGauges;
