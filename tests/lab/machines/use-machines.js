'use strict';
const { strict: assert } = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { UsageError } = require('../../../scripts/lib/command-line');
const { Admin } = require('./admin-machine');
const { get, load } = require('./ask');
const { claims } = require('./one.lab');
const { Machine } = require('./machine');
const { makeBare } = require('./root');
const { inventory, makeFleet, shapeOf } = require('./shape');

/*
 * Bare machines on one network become what an operator types: one machine with every role by node.sh, and a fleet by npm run fleet from the
 * administrator's machine.
 */

const network = 'catalog-machines';
const adminAddress = '10.0.0.1';
/** @typedef {{ dir: string, suite: import('./root').Suite, cache: string, release: string, say: (line: string) => void }} Place */

/** @param {string[]} words */
const ip = (...words) => execFileSync('ip', words, { stdio: ['ignore', 'pipe', 'pipe'] });

/**
 * Boots bare machines and the administrator's, and stops them whatever happens. After a failure their folders stay for inspection.
 * @param {Place} place @param {Record<string, string>} nodes addresses by name
 * @param {(machines: Record<string, Machine>, admin: Admin, network: string) => Promise<void> | void} use
 */
async function withMachines({ dir, suite, cache }, nodes, use) {
  const admin = new Admin(path.join(dir, 'admin'), { network, address: adminAddress });
  /** @type {Record<string, Machine>} */
  const machines = {};
  if (fs.existsSync(`/run/netns/${network}`))
    throw new UsageError(`another fleet:test runs, or was killed: then type ip netns delete ${network}`);
  ip('netns', 'add', network);
  let failed = true;
  try {
    for (const words of ['link set lo up', 'link add br0 type bridge', 'link set br0 up'])
      ip('-n', network, ...words.split(' '));
    for (const [name, address] of Object.entries(nodes)) {
      const machine = (machines[name] = new Machine(path.join(dir, `${suite}-${name}`)));
      makeBare(machine.root, suite, cache);
      fs.writeFileSync(path.join(machine.root, 'etc/hostname'), `${name}\n`);
      admin.admit(machine.root);
      await machine.boot({ address, network });
    }
    await admin.start(nodes, Object.values(machines)[0].must('cat /etc/ssh/ssh_host_ed25519_key.pub'));
    await use(machines, admin, network);
    failed = false;
  } finally {
    await admin.stop();
    for (const machine of Object.values(machines)) await machine.stop();
    if (!failed) for (const { root } of Object.values(machines)) fs.rmSync(root, { recursive: true });
    ip('netns', 'delete', network);
  }
}

/** @param {string} release file @returns {string} what user data has a cloud's machine do at its first boot */
function firstBoot(release) {
  const text = fs.readFileSync(path.join(__dirname, '../../../scripts/fleet/first-boot.example.cfg'), 'utf8');
  const [, packages, script] = /^packages: \[(.*)\]$[^]*^ {4}- \|\n([^]*)/m.exec(text) ?? [];
  const [digest, name] = fs.readFileSync(`${release}.sha256`, 'utf8').trim().split(/ +/);
  const filled = script.replace('URL', `file:///srv/${name}`).replace('SHA256', digest);
  return `apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y ${packages.replaceAll(',', '')}
    ${filled.replaceAll(/\bID\b/g, name.slice('catalog-'.length, -'.tar'.length))}`;
}

/** @param {Place} place */
const proveOne = (place) =>
  withMachines(place, { one: '10.0.0.11' }, ({ one }) => {
    fs.copyFileSync(place.release, path.join(one.root, 'srv', path.basename(place.release)));
    one.must(firstBoot(place.release));
    assert.match(one.must('catalog-node'), /changed=0 /);
    assert.match(one.must('catalog-node --check --diff'), /changed=0 /);
    place.say('ok    user data makes a bare machine a catalog, and its second run changes nothing');
    for (const [claim, check] of Object.entries(claims)) {
      check((script) => one.must(script));
      place.say(`ok    ${claim}`);
    }
  });

/**
 * Each machine of three has a database and workers, and they share the other roles; then one gets one role more.
 * @param {Place} place
 */
async function proveFleet(place) {
  const { addresses, address, text } = shapeOf('three');
  await withMachines(place, addresses, (machines, admin) => {
    const site = () => admin.must('admin', `npm run -s fleet -- site -e release_file=${place.release}`);
    const changesNothing = () => {
      const again = site();
      assert.deepEqual(again.match(/(changed|failed|unreachable)=[1-9]/g), null, again);
    };
    makeFleet(admin, text, place.release);
    changesNothing();
    place.say('ok    three machines are a fleet, and the second run changes nothing');
    const [first] = Object.values(machines);
    first.must(load(2000));
    for (const route of ['/products?count=3', '/products/1', '/products/1/styles', '/products/1/related'])
      JSON.parse(first.must(`${get} 'http://${address}${route}'`));
    for (const machine of Object.values(machines)) machine.must('catalog-listening');
    place.say('ok    the four routes answer, and only expected sockets listen');
    const passwords = first.must('cat /etc/catalog/loader.env');
    admin.write(inventory, text.replace('cache: { hosts: {', 'cache: { hosts: { node-1: {},'));
    site();
    changesNothing();
    assert.equal(first.must('cat /etc/catalog/loader.env'), passwords);
    for (const own of Object.values(addresses))
      assert.match(first.must(`${get} http://${own}:9030/readyz`), /"database":"up".*"cache":"up"/);
    place.say('ok    one more role on a machine keeps its passwords');
  });
}

module.exports = { proveFleet, proveOne, withMachines };
