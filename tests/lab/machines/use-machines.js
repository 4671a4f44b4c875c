'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { UsageError } = require('../../../scripts/lib/command-line');
const { root: repository } = require('../../../scripts/lib/runtime');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { Admin } = require('./admin-machine');
const { Machine, spawnMortal } = require('./machine');
const { makeBare } = require('./root');

const network = 'catalog-machines';
const endTimeoutMs = 5_000;

/** @typedef {{ dir: string, suite: import('./root').Suite, cache: string, release: string, before: string, short: boolean }} Place `before`: the release that is replaced */
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
 * @param {{ suite?: import('./root').Suite }} [own] instead of that of the command
 * @returns {Fleet}
 */
function useMachines(addresses, prepare, own = {}) {
  /** @type {{ place: Place, failed?: boolean }} */
  const lab = /** @type {any} */ (globalThis).lab;
  const { dir, suite } = { ...lab.place, ...own };
  const machines = Object.fromEntries(
    Object.entries(addresses).map(([name, address]) => {
      return [name, new Machine(path.join(dir, `${suite}-${name}`), { address, network })];
    }),
  );
  const admin = new Admin(path.join(dir, 'admin'), { network, address: '10.0.0.1' });
  const fleet = { ...lab.place, ...own, machines, admin, addresses, network };
  /** @type {import('node:child_process').ChildProcess} */
  let holder;
  beforeAll(async () => {
    ip('netns', 'add', network);
    // Another run takes a network without processes for that of one that was killed, and machines boot minutes later.
    holder = spawnMortal('KILL', ['ip', 'netns', 'exec', network, 'sleep', 'infinity'], 'ignore');
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
    holder.kill('SIGKILL');
    ip('netns', 'delete', network);
  });
  return fleet;
}

/* The example inventories, and the fleets that they make. They are read line by line, as they are written. */

/** On the administrator's machine. */
const inventory = path.join(repository, 'inventory/hosts.yml');

/**
 * @typedef {object} Shape
 * @property {string} text of the inventory
 * @property {Record<string, string>} addresses by the machines' names
 * @property {Record<string, string[]>} groups names of machines by role
 * @property {string} address that clients use: of the balancer, or what keepalived moves
 */

/** @param {'three' | 'five' | 'nine'} size @returns {Shape} */
function shapeOf(size) {
  const text = fs.readFileSync(path.join(__dirname, `../../../scripts/fleet/inventory.${size}.yml`), 'utf8');
  const found = (/** @type {RegExp} */ line) => Array.from(text.matchAll(line), ([, name, value]) => [name, value]);
  const addresses = Object.fromEntries(found(/^ {4}([a-z]+-\d): \{ ansible_host: ([\d.]+) \}$/gm));
  const groups = Object.fromEntries(
    found(/^ {4}([a-z]+): \{ hosts: \{ (.*) \} \}$/gm).map(([name, hosts]) => [name, hosts.match(/[a-z]+-\d/g) ?? []]),
  );
  const [[, address] = ['', addresses[groups.lb[0]]]] = found(/^ {4}(virtual_address): ([\d.]+)\/\d+$/gm);
  return { text, addresses, groups, address };
}

/** As an administrator does, with products. @param {Fleet} fleet @param {Shape} shape */
async function makeFleet({ admin, machines, release }, { text, groups }) {
  await admin.must('admin', 'mkdir -p inventory');
  admin.write(inventory, text);
  await admin.must('admin', `npm run -s fleet -- secrets && npm run -s fleet -- site -e release_file=${release}`);
  await machines[groups.db[0]].must(load(2000));
}

/** A machine with every role, two workers, a writer and products, by a release beside it. @param {import('./machine').Machine} machine @param {string} release */
async function makeSingle(machine, release) {
  for (const file of [release, `${release}.sha256`])
    fs.copyFileSync(file, path.join(machine.root, 'srv', path.basename(file)));
  const name = path.basename(release);
  await machine.must(`cd /srv
    tar -xf ${name}
    */scripts/fleet/node.sh --role all workers=2 --release ${name}
    echo '    writer: { hosts: { node: {} } }' >>/etc/catalog/inventory/hosts.yml && catalog-node
    ${load(2000)}`);
}

/**
 * Begins constant writes to the writer of a machine.
 * @param {import('./machine').Machine} machine
 * @returns {Promise<() => Promise<Record<string, any>>>} ends them, and reads what became of those that were acknowledged
 */
async function beginWrites(machine) {
  const program = 'tests/lab/machines/constant-writes.js';
  for (const file of [program, 'scripts/lib/wait-until.js']) {
    const copy = path.join(machine.root, 'srv/client', file);
    fs.mkdirSync(path.dirname(copy), { recursive: true });
    fs.copyFileSync(path.join(repository, file), copy);
  }
  const key = await machine.must(`catalog-key create till-${Date.now()} --scopes content,history,stock`);
  const writing = machine.must(`/opt/catalog/node/bin/node /srv/client/${program} http://127.0.0.1:7030 ${key.trim()}`);
  return async () => {
    await machine.must(`pkill -TERM -f ${program}`);
    const written = JSON.parse((await writing).trim().split('\n').at(-1) ?? '');
    console.log(written);
    return written;
  };
}

/** Retries, for services that may be starting. */
const get = 'curl -fsS --retry 20 --retry-all-errors --retry-delay 1';

const routes = ['/products?count=3', '/products/1', '/products/1/styles', '/products/1/related'];

/** @param {string} text @returns {string} a command that prints the result of the catalog's database */
const sql = (text) => `runuser -u postgres -- psql -X -At -d catalog -c "${text}"`;

const incoming = '/srv/incoming';
const generate = `/opt/catalog/node/bin/node /opt/catalog/current/scripts/generate ${incoming}`;
/** @param {number} products @returns {string} a command that loads and serves generated products */
const load = (products) =>
  `${generate} --products ${products} && chmod -R a+rX ${incoming} && catalog-etl load ${incoming}`;

/**
 * A command that adds 1 to a quantity so often, 32 at a time, and prints the time of each acknowledgement. `KEY` is in its environment. It ends at a
 * refusal, unless it repeats those that a client may repeat.
 * @param {number} count @param {{ betweenMs?: number, address?: string, repeats?: boolean }} [options] address of a writer
 */
const addStock = (count, { betweenMs = 0, address = '127.0.0.1', repeats = false } = {}) =>
  `/opt/catalog/node/bin/node -e '
    let left = ${count};
    const headers = { Authorization: "Bearer " + process.env.KEY, "Content-Type": "application/json" };
    const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const add = async (request) => {
      const reply = await fetch("http://${address}:7030/stock", request);
      if (reply.ok) return console.log(Date.now());
      if (!${repeats} || reply.status !== 503) throw new Error(reply.status + await reply.text());
      await pause(100);
      return add(request);
    };
    const work = async () => {
      while (left-- > 0) {
        const own = { ...headers, "Idempotency-Key": crypto.randomUUID() };
        await add({ method: "POST", headers: own, body: JSON.stringify({ adjust: [[1, 1]] }) });
        await pause(${betweenMs});
      }
    };
    Promise.all(Array.from({ length: 32 }, work))'`;

const ask = { addStock, beginWrites, generate, get, incoming, load, routes, sql };

module.exports = { ...ask, bootBare, freeNetwork, inventory, makeFleet, makeSingle, shapeOf, useMachines };
