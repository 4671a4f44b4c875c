'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { readInventory, writeInventory } = require('../lib/inventory');
const { UsageError } = require('../lib/options');
const { isAlive } = require('../lib/process');
const { binaries } = require('../lib/runtime');
const { execute } = require('../lib/transport');
const { onNode } = require('./machine');

/** Short, because the sockets of PM2 lie below it, and the same for every command. */
const clusterDir = path.join(os.tmpdir(), 'catalog-cluster');

/**
 * @typedef {object} Cluster
 * @property {import('./machine').Machines} machines
 * @property {Record<string, string>} secrets
 * @property {string} inventoryFile
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

/** @param {Cluster} cluster */
const inventoryOf = ({ inventoryFile }) => readInventory(inventoryFile);

/** @param {Cluster} cluster @param {import('../lib/inventory').Inventory} inventory */
const saveInventory = ({ inventoryFile }, inventory) => writeInventory(inventoryFile, inventory);

/**
 * Commands reach a node of the cluster through its namespaces, where they reach a real one by ssh.
 * @param {Cluster} cluster
 * @returns {import('../lib/transport').Transport}
 */
const transportOf = ({ machines, secrets }) =>
  function intoNode({ name }, words, { input } = {}) {
    const places = [
      '/usr/local/sbin',
      binaries().postgresBin,
      '/usr/sbin',
      '/usr/bin',
      '/sbin',
      '/bin',
    ];
    const env = { ...secrets, PATH: places.join(':'), CATALOG_CLUSTER: machines.dir };
    return execute(onNode(machines, name, words), { input, env });
  };

module.exports = { clusterDir, inventoryOf, readCluster, saveCluster, saveInventory, transportOf };
