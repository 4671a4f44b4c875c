'use strict';
const { strict: assert } = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { readInventory } = require('../../fleet/inventory');
const { root: repository } = require('../../lib/runtime');
const { targetsOf } = require('../../monitoring/targets');
const { Admin } = require('./admin-machine');
const { get, load, sql } = require('./ask');
const { Machine } = require('./machine');
const { blocksOf, pages } = require('./runbook');

/*
 * The machines of the single roles and further ones, booted side by side on one network like the example's inventory. They serve,
 * and the runbook is followed from the administrator's machine.
 */

const network = 'catalog-proof';
const adminAddress = '10.0.0.1';
/** Bare at first, for the page "a new node". */
const newNode = { name: 'app-4', address: '10.0.0.34' };
const products = 2000;
const count = sql('SELECT count(*) FROM catalog.product_documents');
/** In this order: after the last one, another machine is the primary. */
const fleetPages = [
  'drain-a-node.md',
  'deploy.md',
  'roll-back.md',
  'new-node.md',
  'rotate-a-secret.md',
  'promote-a-replica.md',
];

/** @typedef {Record<string, Machine>} Machines by name */

/** @param {string[]} words */
const ip = (...words) => execFileSync('ip', words, { stdio: ['ignore', 'pipe', 'pipe'] });

function makeNetwork() {
  ip('netns', 'add', network);
  for (const words of ['link set lo up', 'link add br0 type bridge', 'link set br0 up'])
    ip('-n', network, ...words.split(' '));
}

/** The example's, with as many app nodes as it takes. */
function inventoryOfFleet() {
  const { nodes } = readInventory(path.join(repository, 'scripts/inventory.example.json'));
  return { nodes: nodes.filter(({ name }) => name !== 'app-3') };
}

/** @param {Machine} machine @returns {Machine} a copy that keeps owners, unlike fs.cpSync */
function copyOf({ root, cache }) {
  execFileSync('cp', ['--archive', root, `${root}-2`]);
  return new Machine(`${root}-2`, cache);
}

/**
 * @param {Machines} made db, cache, app and lb, each by proveRole; bare
 * @param {string} dir of the administrator's key
 * @param {(line: string) => void} say
 */
async function proveFleet({ db, cache, app, lb, bare }, dir, say) {
  const copies = { 'db-2': copyOf(db), 'app-2': copyOf(app) };
  const first = { 'lb-1': lb, 'db-1': db, 'cache-1': cache, 'app-1': app };
  /** @type {Machines} */
  const machines = { ...first, ...copies, [newNode.name]: bare };
  const inventory = inventoryOfFleet();
  const admin = new Admin(dir, { network, address: adminAddress });
  makeNetwork();
  try {
    for (const { name, address } of [...inventory.nodes, newNode]) {
      admin.admit(machines[name].root);
      await machines[name].boot({ address, network });
    }
    const hostKey = bare.must('cat /etc/ssh/ssh_host_ed25519_key.pub');
    await admin.start({ nodes: [...inventory.nodes, /** @type {any} */ (newNode)] }, hostKey);
    admin.write(path.join(repository, 'inventory.json'), JSON.stringify(inventory));
    serve(machines);
    say('ok    db, cache, app and lb, each made separately, serve a load');
    replicate(machines);
    say('ok    a replica is made and takes the next load');
    admin.must('admin', 'npm run node -- add app-2');
    lb.must(`for id in $(seq 50); do ${get} -o /dev/null http://10.0.0.10/products/$id; done`);
    const needing = pages().filter((page) => blocksOf(page).some(({ mark }) => mark === 'fleet'));
    assert.deepEqual([...fleetPages].sort(), needing);
    for (const page of fleetPages) say(`ok    runbook/${page}: ${follow(admin, page)} blocks run`);
  } finally {
    await admin.stop();
    for (const machine of Object.values(machines)) await machine.stop();
    ip('netns', 'delete', network);
    for (const { root } of Object.values(copies)) fs.rmSync(root, { recursive: true });
  }
}

/** @param {Machine} from @param {Machine} to a node of another role */
function giveSecrets(from, to) {
  to.must('(umask 077; printf "%s\\n" "$SECRETS" > /etc/catalog/secrets.env)', {
    SECRETS: from.must('cat /etc/catalog/secrets.env'),
  });
}

/** @param {Machine} machine @param {string} [options] those of the last run unless given */
function makeAgain(machine, options = '') {
  machine.must(`catalog-node ${options}`);
  assert.match(machine.must('catalog-node'), /: 0 changes$/m);
}

/** @param {Machines} machines */
function serve({ 'db-1': db, 'cache-1': cache, 'app-1': app, 'app-2': second, 'lb-1': lb }) {
  db.must('catalog-node');
  db.must(load(products));
  for (const machine of [cache, app, second]) giveSecrets(db, machine);
  for (const machine of [cache, app]) makeAgain(machine);
  const options = '--database 10.0.0.20 --cache 10.0.0.40 --workers 2';
  makeAgain(second, `--role app --address 10.0.0.32 ${options}`);
  for (const route of ['/products?count=3', '/products/1', '/products/1/styles', '/products/1/related'])
    JSON.parse(lb.must(`${get} 'http://10.0.0.10${route}'`));
  const listening = { db, cache, app, lb };
  assert.match(app.must(`${get} http://10.0.0.31:9030/readyz`), /"database":"up","cache":"up"/);
  // As Prometheus scrapes: from another machine, at the addresses of the list of targets.
  const targets = targetsOf(inventoryOfFleet()).flatMap((group) => group.targets);
  assert.equal(targets.length, 4);
  for (const target of targets) assert.match(lb.must(`${get} http://${target}/metrics`), /^catalog_ready 1$/m);
  for (const [role, machine] of Object.entries(listening))
    machine.must(`catalog-listening ${role} "$(sed -n '/^--address$/{n;p}' /etc/catalog/node.options)"`);
}

/** @param {Machines} machines */
function replicate({ 'db-1': db, 'db-2': replica, 'app-1': app, 'app-2': second }) {
  replica.must('systemctl stop "postgresql@$(ls /etc/postgresql)-main"; rm -r /var/lib/postgresql/*/main');
  giveSecrets(db, replica);
  makeAgain(replica, '--role db --address 10.0.0.21 --network 10.0.0.0/24 --replica-of 10.0.0.20');
  db.must(
    `for try in $(seq 30); do ${sql('SELECT state FROM pg_stat_replication')} | grep -qx streaming && exit 0; sleep 1; done; exit 1`,
  );
  const encrypted = sql('SELECT ssl FROM pg_stat_ssl JOIN pg_stat_replication USING (pid)');
  assert.equal(db.must(encrypted).trim(), 't');
  db.must('catalog-etl load /srv/incoming --campus other');
  db.must(`test "$(${count})" = ${products}`);
  const version = sql('SELECT version FROM catalog_meta.data_version');
  const wanted = db.must(version).trim();
  replica.must(`for try in $(seq 30); do test "$(${version})" = ${wanted} && exit 0; sleep 1; done; exit 1`);
  assert.equal(replica.must(count).trim(), String(products));
  assert.equal(replica.must(sql('SELECT pg_is_in_recovery()')).trim(), 't');
  for (const machine of [app, second]) makeAgain(machine, '--replica 10.0.0.21');
}

/** @param {Admin} admin @param {string} page @returns {number} blocks */
function follow(admin, page) {
  const blocks = blocksOf(page);
  for (const { on, commands } of blocks) {
    const [place] = on;
    admin.must(place === 'admin' || /-\d$/.test(place) ? place : `${place}-1`, commands);
  }
  return blocks.length;
}

module.exports = { proveFleet };
