'use strict';
const { strict: assert } = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { root: repository } = require('../lib/runtime');
const { Admin } = require('./admin-machine');
const { get, load } = require('./ask');
const { claims } = require('./claims');
const { Machine } = require('./machine');
const { copySource, makeBare } = require('./root');

/*
 * Bare machines on one network become what an operator types: one machine with every role by node.sh, and a fleet by npm run fleet from the
 * administrator's machine.
 */

const network = 'catalog-machines';
const adminAddress = '10.0.0.1';
/** The cache is beside the database, as roles combine. */
const addresses = { 'lb-1': '10.0.0.10', 'db-1': '10.0.0.20', 'app-1': '10.0.0.31', 'app-2': '10.0.0.32' };
const inventory = (/** @type {string} */ cache) => `all:
  vars: { ansible_user: root, network: 10.0.0.0/24, workers: 2 }
  hosts:
${Object.entries(addresses)
  .map(([name, address]) => `    ${name}: { ansible_host: ${address} }\n`)
  .join('')}  children:
    lb: { hosts: { lb-1: {} } }
    app: { hosts: { app-1: {}, app-2: {} } }
    db: { hosts: { db-1: {} } }
    cache: { hosts: { ${cache} } }
`;

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
  ip('netns', 'add', network);
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
  } finally {
    await admin.stop();
    for (const machine of Object.values(machines)) await machine.stop();
    ip('netns', 'delete', network);
  }
  for (const { root } of Object.values(machines)) fs.rmSync(root, { recursive: true });
}

/** @param {Place} place */
const proveOne = (place) =>
  withMachines(place, { one: '10.0.0.11' }, ({ one }) => {
    copySource(path.join(one.root, 'srv/catalog'));
    for (const file of [place.release, `${place.release}.sha256`])
      fs.copyFileSync(file, path.join(one.root, 'srv', path.basename(file)));
    one.must(`/srv/catalog/scripts/fleet/node.sh --role all workers=2 --release /srv/${path.basename(place.release)}`);
    assert.match(one.must('catalog-node'), /changed=0 /);
    assert.match(one.must('catalog-node --check --diff'), /changed=0 /);
    place.say('ok    node.sh makes a bare machine a catalog, and its second run changes nothing');
    for (const [claim, check] of Object.entries(claims)) {
      check((script) => one.must(script));
      place.say(`ok    ${claim}`);
    }
  });

/**
 * @param {Admin} admin @param {string} release @param {string} hosts of the group cache
 * @returns {string} output of the second run, which changes nothing
 */
function site(admin, release, hosts) {
  admin.write(path.join(repository, 'inventory/hosts.yml'), inventory(hosts));
  const command = `npm run -s fleet -- site -e release_file=${release}`;
  admin.must('admin', command);
  const again = admin.must('admin', command);
  assert.deepEqual(again.match(/changed=[1-9]/g), null, again);
  return again;
}

/** @param {Place} place */
const proveFleet = (place) =>
  withMachines(place, addresses, (machines, admin) => {
    const { 'db-1': db, 'app-1': app, 'lb-1': lb } = machines;
    admin.must('admin', 'mkdir -p inventory');
    admin.write(path.join(repository, 'inventory/hosts.yml'), inventory(''));
    admin.must('admin', 'npm run -s fleet -- secrets');
    site(admin, place.release, '');
    db.must(load(2000));
    place.say('ok    a fleet is made, and the second run changes nothing');
    const passwords = db.must('cat /etc/catalog/loader.env');
    site(admin, place.release, 'db-1: {}');
    assert.equal(db.must('cat /etc/catalog/loader.env'), passwords);
    db.must('catalog-etl status');
    assert.match(app.must(`${get} http://10.0.0.31:9030/readyz`), /"database":"up","cache":"up"/);
    for (const route of ['/products?count=3', '/products/1', '/products/1/styles', '/products/1/related'])
      JSON.parse(lb.must(`${get} 'http://10.0.0.10${route}'`));
    for (const machine of Object.values(machines)) machine.must('catalog-listening');
    place.say("ok    a second role on the database's machine keeps its passwords, and the four routes answer");
  });

module.exports = { proveFleet, proveOne, withMachines };
