'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { readInventory, writeInventory } = require('../fleet/inventory');
const { isAlive } = require('../lib/proc');
const { binaries, root } = require('../lib/runtime');
const { execute } = require('../fleet/transport');
const { UsageError } = require('../lib/command-line');
const { onNode } = require('./machine');
const { admin } = require('./topology');

/** Short, because the sockets of PM2 lie below it, and the same for every command. */
const clusterDir = path.join(os.tmpdir(), 'catalog-cluster');

/**
 * @typedef {object} Cluster
 * @property {import('./machine').Machines} machines
 * @property {Record<string, string>} secrets
 */

/** @param {string} dir */
const stateFile = (dir) => path.join(dir, 'cluster.json');

/** @param {Cluster} cluster */
function saveCluster(cluster) {
  fs.writeFileSync(stateFile(cluster.machines.dir), JSON.stringify(cluster), { mode: 0o600 });
}

/** @param {string} [dir] @returns {Cluster} @throws {UsageError} when none runs */
function readCluster(dir = clusterDir) {
  const file = stateFile(dir);
  const cluster = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : null;
  if (!cluster || !isAlive(cluster.machines.room)) {
    throw new UsageError('no cluster runs: npm run cluster -- up --nodes 3');
  }
  return cluster;
}

/** The one on the administrator's machine, as it is seen from here. @param {Cluster} cluster */
const inventoryFile = ({ machines }) =>
  path.join('/proc', String(machines.pids[admin.name]), 'root', root, 'inventory.json');

/** @param {Cluster} cluster */
const inventoryOf = (cluster) => readInventory(inventoryFile(cluster));

/** @param {Cluster} cluster @param {import('../fleet/inventory').Inventory} inventory */
const saveInventory = (cluster, inventory) => writeInventory(inventoryFile(cluster), inventory);

/**
 * Through its namespaces a node is built, before it has sshd.
 * @param {Cluster} cluster
 * @returns {import('../fleet/transport').Transport}
 */
const transportOf = ({ machines, secrets }) =>
  function intoNode({ name }, words, { input } = {}) {
    const places = ['/usr/local/sbin', binaries().postgresBin, '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
    const env = { ...secrets, PATH: places.join(':'), CATALOG_CLUSTER: machines.dir };
    return execute(onNode(machines, name, words), { input, env });
  };

module.exports = { clusterDir, inventoryOf, readCluster, saveCluster, saveInventory, transportOf };
