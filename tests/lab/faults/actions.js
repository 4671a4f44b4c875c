'use strict';
const { signalRunning } = require('../../../scripts/lib/process');

/** @import { Rig } from '../testbed/rig' */
/** @import { Action } from './scenario' */
/** @typedef {{ set: (changes: any) => void, hold: (held: boolean) => void, heal: () => void }} Misbehaving a proxy */

/** @param {Misbehaving} proxy @param {Partial<import('../testbed/proxy').Misbehaviour>} changes @returns {Action} */
const misbehaves = (proxy, changes) => ({ inject: () => proxy.set(changes), heal: () => proxy.heal() });

/** Nothing passes and no connection ends. @param {Misbehaving} proxy @returns {Action} */
const blackHole = (proxy) => ({ inject: () => proxy.hold(true), heal: () => proxy.hold(false) });

/** @param {(signal: NodeJS.Signals) => unknown} send @returns {Action} */
const freezes = (send) => ({ inject: () => send('SIGSTOP'), heal: () => send('SIGCONT') });

/** @param {Rig} rig @returns {Action} */
const killsRedis = ({ servers }) => ({
  inject: () => signalRunning('Valkey', servers.valkey.pid, 'SIGKILL'),
  heal: () => servers.startValkey(),
});

/** @param {Rig} rig @returns {Action} */
const freezesRedis = ({ servers }) => freezes((signal) => signalRunning('Valkey', servers.valkey.pid, signal));

/** @param {Rig} rig @returns {Action} */
const slowsRedis = ({ proxies }) => misbehaves(proxies.redis, { delayMs: 200, jitterMs: 100 });

/** @param {Rig} rig @param {'fast' | 'immediate'} mode @returns {Action} */
const restartsPostgres = ({ servers }, mode) => ({
  inject: () => servers.postgres.stop(mode),
  heal: () => servers.startPostgres(),
  seconds: 3,
});

module.exports = { blackHole, freezes, freezesRedis, killsRedis, misbehaves, restartsPostgres, slowsRedis };
