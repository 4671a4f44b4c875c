'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { UsageError } = require('../../../scripts/lib/command-line');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { Admin } = require('./admin-machine');
const { Machine } = require('./machine');
const { makeBare } = require('./root');

const network = 'catalog-machines';
const endTimeoutMs = 5_000;

/** @typedef {{ dir: string, suite: import('./root').Suite, cache: string, release: string, short: boolean }} Place */
/**
 * @typedef {Place & { machines: Record<string, import('./machine').Machine>, admin: Admin, addresses: Record<string, string>, network: string }} Fleet
 * `addresses` and `machines` by name
 */

/** @param {string[]} words @returns {string} output */
const ip = (...words) => execFileSync('ip', words, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });

/** Deletes the network of a run that was killed: its processes have ended with it. */
async function freeNetwork() {
  if (!fs.existsSync(`/run/netns/${network}`)) return;
  const isEmpty = () => ip('netns', 'pids', network) === '';
  if (!(await waitUntil(isEmpty, endTimeoutMs)))
    throw new UsageError(`another fleet:test runs: ip netns pids ${network} shows its processes`);
  ip('netns', 'delete', network);
}

/** The machine gets the bare distribution, whatever it had. @param {Fleet} fleet @param {string} name */
async function bootBare({ machines, admin, suite, cache }, name) {
  const machine = machines[name];
  await machine.stop();
  makeBare(machine.root, suite, cache);
  fs.writeFileSync(path.join(machine.root, 'etc/hostname'), `${name}\n`);
  admin.admit(machine.root);
  await machine.boot();
}

/**
 * Before the tests of a file, boots bare machines on one network and the administrator's; after them, stops all. When a test has failed, the
 * machines' folders stay for inspection.
 * @param {Record<string, string>} addresses by name @param {(fleet: Fleet) => Promise<void>} prepare
 * @returns {Fleet}
 */
function useMachines(addresses, prepare) {
  /** @type {{ place: Place, failed?: boolean }} */
  const lab = /** @type {any} */ (globalThis).lab;
  const { dir, suite } = lab.place;
  const machines = Object.fromEntries(
    Object.entries(addresses).map(([name, address]) => {
      return [name, new Machine(path.join(dir, `${suite}-${name}`), { address, network })];
    }),
  );
  const admin = new Admin(path.join(dir, 'admin'), { network, address: '10.0.0.1' });
  const fleet = { ...lab.place, machines, admin, addresses, network };
  beforeAll(async () => {
    ip('netns', 'add', network);
    for (const words of ['link set lo up', 'link add br0 type bridge', 'link set br0 up'])
      ip('-n', network, ...words.split(' '));
    for (const name of Object.keys(machines)) await bootBare(fleet, name);
    await admin.start(addresses, await Object.values(machines)[0].must('cat /etc/ssh/ssh_host_ed25519_key.pub'));
    await prepare(fleet);
  });
  afterAll(async () => {
    await admin.stop();
    for (const machine of Object.values(machines)) {
      await machine.stop();
      if (!lab.failed) fs.rmSync(machine.root, { recursive: true });
    }
    ip('netns', 'delete', network);
  });
  return fleet;
}

module.exports = { bootBare, freeNetwork, useMachines };
