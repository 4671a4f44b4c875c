'use strict';

/** @typedef {import('./rig').Rig} Rig */

/**
 * @typedef {object} Disturbance
 * @property {string} name
 * @property {number} seconds
 * @property {(rig: Rig) => unknown} inject
 * @property {(rig: Rig) => unknown} heal
 */

const nothing = () => {};

/** @type {Disturbance[]} */
const disturbances = [
  {
    name: 'Redis killed',
    seconds: 10,
    inject: (rig) => process.kill(rig.servers.valkeyPid, 'SIGKILL'),
    heal: (rig) => rig.servers.startValkey(),
  },
  {
    name: 'Redis frozen',
    seconds: 10,
    inject: (rig) => process.kill(rig.servers.valkeyPid, 'SIGSTOP'),
    heal: (rig) => process.kill(rig.servers.valkeyPid, 'SIGCONT'),
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
    inject: (rig) => rig.servers.stopPostgres('fast'),
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
  },
  {
    name: 'worker frozen',
    seconds: 5,
    inject: (rig) => rig.signalWorker(1, 'SIGSTOP'),
    heal: (rig) => rig.signalWorker(1, 'SIGCONT'),
  },
  { name: 'workers reloaded', seconds: 0, inject: (rig) => rig.reloadWorkers(), heal: nothing },
  { name: 'nginx reloaded', seconds: 0, inject: (rig) => rig.nginx.reload(), heal: nothing },
];

/** @template T @param {T[]} all @returns {T[]} in an order of chance (Fisher and Yates) */
function shuffled(all) {
  const deck = [...all];
  for (let last = deck.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [deck[last], deck[other]] = [deck[other], deck[last]];
  }
  return deck;
}

/** @returns {Disturbance[]} all of them, in an order of chance */
const shuffledDisturbances = () => shuffled(disturbances);

module.exports = { shuffledDisturbances };
