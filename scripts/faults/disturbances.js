'use strict';
const crypto = require('node:crypto');
const { shuffled } = require('../lib/shuffled');

/** @typedef {import('./rig').Rig} Rig */

/**
 * @typedef {object} Disturbance
 * @property {string} name
 * @property {number} seconds
 * @property {(rig: Rig) => unknown} inject
 * @property {(rig: Rig) => unknown} heal
 * @property {number} [endsWorkers] processes that end of it
 */

const nothing = () => {};

/** @type {Disturbance[]} */
const disturbances = [
  {
    name: 'Redis killed',
    seconds: 10,
    inject: (rig) => process.kill(rig.servers.valkey.pid, 'SIGKILL'),
    heal: (rig) => rig.servers.startValkey(),
  },
  {
    name: 'Redis frozen',
    seconds: 10,
    inject: (rig) => process.kill(rig.servers.valkey.pid, 'SIGSTOP'),
    heal: (rig) => process.kill(rig.servers.valkey.pid, 'SIGCONT'),
  },
  {
    name: 'Redis slow',
    seconds: 10,
    inject: (rig) => rig.proxies.redis.set({ delayMs: 200, jitterMs: 100 }),
    heal: (rig) => rig.proxies.redis.heal(),
  },
  {
    name: 'PostgreSQL restarted',
    seconds: 2,
    inject: (rig) => rig.servers.postgres.stop('fast'),
    heal: (rig) => rig.servers.startPostgres(),
  },
  {
    name: 'PostgreSQL in a black hole',
    seconds: 10,
    inject: (rig) => rig.proxies.postgres.hold(true),
    heal: (rig) => rig.proxies.postgres.hold(false),
  },
  {
    name: 'PostgreSQL connections cut',
    seconds: 0,
    inject: (rig) => rig.proxies.postgres.cut(),
    heal: nothing,
  },
  {
    name: 'worker killed',
    seconds: 5,
    inject: (rig) => rig.signalWorker(0, 'SIGKILL'),
    heal: nothing,
    endsWorkers: 1,
  },
  {
    name: 'worker frozen',
    seconds: 5,
    inject: (rig) => rig.signalWorker(1, 'SIGSTOP'),
    heal: (rig) => rig.signalWorker(1, 'SIGCONT'),
  },
  {
    name: 'workers reloaded',
    seconds: 0,
    inject: (rig) => rig.reloadWorkers(),
    heal: nothing,
    endsWorkers: 2,
  },
  { name: 'nginx reloaded', seconds: 0, inject: (rig) => rig.nginx.reload(), heal: nothing },
];

/** @returns {Generator<Disturbance, never>} without an end; each of them comes before one comes again */
function* randomDisturbances() {
  for (;;) yield* shuffled(disturbances, (bound) => crypto.randomInt(bound));
}

module.exports = { randomDisturbances };
