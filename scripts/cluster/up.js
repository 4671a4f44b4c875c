'use strict';
const { spawnSync } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { generateSample, loadCatalog, prepareCatalog } = require('../lib/commands');
const { environment } = require('../lib/environment');
const { appNodes, primaryOf, replicasOf } = require('../fleet/inventory');
const { root } = require('../lib/runtime');
const { UsageError } = require('../lib/command-line');
const { shellLine } = require('../lib/words');
const { makeAdmin, sshPackages } = require('./admin-machine');
const { inventoryOf, saveCluster, saveInventory } = require('./cluster');
const { endAll, fromClient, openRoom, powerOn } = require('./machine');
const { bootNode, installRelease, startApp, startRole } = require('./setup');
const { admin, topology } = require('./topology');

const secretNames = ['API_PASSWORD', 'LOADER_PASSWORD', 'REPLICA_PASSWORD', 'REDIS_PASSWORD'];

/** @typedef {import('./cluster').Cluster} Cluster */

/** @param {Cluster} cluster @param {string} dir of the CSVs; generated when it is empty @param {number} products */
function load(cluster, dir, products) {
  const primary = primaryOf(inventoryOf(cluster), 'db');
  const env = environment('loader', {
    LOADER_DATABASE_URL: `postgres://catalog_loader:${cluster.secrets.LOADER_PASSWORD}@${primary?.address}:5432/catalog`,
  });
  const rejects = path.join(cluster.machines.dir, 'rejects');
  const steps = [prepareCatalog(), [...loadCatalog(dir, rejects), '--again']];
  if (!fs.existsSync(dir)) steps.unshift(generateSample(dir, products));
  for (const step of steps) {
    const [program, ...words] = fromClient(cluster.machines, step);
    const { status, stderr } = spawnSync(program, words, { cwd: root, env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${shellLine(step)} failed: ${stderr.slice(-800)}`);
  }
}

function requireNamespaces() {
  if (process.getuid?.() !== 0) throw new UsageError('namespaces need root: sudo npm run cluster -- up');
  const { status, stderr } = spawnSync('unshare', ['--net', '--pid', '--mount', '--fork', 'ip', 'link'], {
    env: environment('server'),
    encoding: 'utf8',
  });
  if (status !== 0) throw new UsageError(`no namespaces here (util-linux, iproute2): ${stderr.trim()}`);
}

/**
 * Builds the whole topology; what a run before left is removed first. When a part fails, all of it is.
 * @param {{ dir: string, nodes: number, products: number, say: (line: string) => void }} options
 * @returns {Promise<Cluster>}
 */
async function up({ dir, nodes, products, say }) {
  requireNamespaces();
  const packages = sshPackages();
  await endAll(dir);
  fs.mkdirSync(dir, { mode: 0o700 });
  try {
    const secrets = Object.fromEntries(secretNames.map((name) => [name, crypto.randomBytes(24).toString('hex')]));
    const cluster = { machines: await openRoom(dir), secrets };
    await powerOn(cluster.machines, admin);
    saveInventory(cluster, topology(nodes));
    Object.assign(secrets, await makeAdmin(cluster, packages));
    await startAll(cluster, products, say);
    saveCluster(cluster);
    return cluster;
  } catch (error) {
    const log = path.join(dir, 'cluster.log');
    const last = fs.existsSync(log) ? fs.readFileSync(log, 'utf8').slice(-1000) : '';
    await endAll(dir);
    throw new Error(`${/** @type {Error} */ (error).message}\n${last}`, { cause: error });
  }
}

/** @param {Cluster} cluster @param {number} products @param {(line: string) => void} say */
async function startAll(cluster, products, say) {
  const inventory = inventoryOf(cluster);
  for (const node of inventory.nodes) {
    await bootNode(cluster, node);
    await installRelease(cluster, node);
  }
  const of = (/** @type {string} */ role) => inventory.nodes.filter((node) => node.role === role);
  const [primary] = of('db').filter((node) => !node.replicaOf);
  say('database: primary');
  await startRole(cluster, primary);
  for (const node of of('cache')) await startRole(cluster, node);
  say(`database: loading ${products} products`);
  load(cluster, path.join(cluster.machines.dir, 'sample'), products);
  for (const node of replicasOf(inventory, 'db')) {
    say(`database: replica ${node.name}`);
    await startRole(cluster, node);
  }
  say('workers');
  await Promise.all(appNodes(inventory).map((node) => startApp(cluster, node)));
  for (const node of of('lb')) await startRole(cluster, node);
}

module.exports = { load, up };
