'use strict';
const path = require('node:path');
const { nodeSettings, upstreamsFile } = require('../../nginx/node-paths');
const { renderNginx } = require('../../nginx/render');
const { fleet } = require('../../nginx/retries');
const { commands, releaseDir } = require('../fleet/deploy/commands');
const { lockDigest, upload } = require('../fleet/deploy/release');
const { primaryOf, replicasOf } = require('../fleet/inventory');
const { binaries, root } = require('../lib/runtime');
const { must } = require('../fleet/transport');
const { upstreamsText } = require('../fleet/node/upstreams');
const { inventoryOf, transportOf } = require('./cluster');
const { powerOn } = require('./machine');
const { network } = require('./topology');

const readyTimeoutMs = 30_000;

/** @typedef {import('../fleet/inventory').Node} Node @typedef {import('./cluster').Cluster} Cluster */

/**
 * What a role's script reads; the passwords are in the environment already.
 * @param {Cluster} cluster @param {Node} node
 * @returns {Record<string, string>}
 */
function settingsFor(cluster, node) {
  const inventory = inventoryOf(cluster);
  const primary = primaryOf(inventory, 'db')?.address ?? '';
  const replica = replicasOf(inventory, 'db')[0]?.address;
  const cache = primaryOf(inventory, 'cache')?.address;
  const { REDIS_PASSWORD } = cluster.secrets;
  const { nginx, valkeyServer } = binaries();
  return {
    REPOSITORY: root,
    NODE_ADDRESS: node.address,
    NODE_NETWORK: network,
    NODE_BIN: process.execPath,
    VALKEY: valkeyServer,
    NGINX: nginx,
    PRIMARY_ADDRESS: node.replicaOf ? primary : '',
    PG_ADDRESS: replica ? `${replica}:5432,${primary}` : primary,
    REDIS_URL: cache ? `redis://:${REDIS_PASSWORD}@${cache}:6379` : '',
    CATALOG_WORKERS: String(node.workers ?? ''),
    CATALOG_WORKER_PORT: String(node.workerPort ?? ''),
    CATALOG_ADMIN_PORT: String(node.adminPort ?? ''),
    LOCK_DIGEST: lockDigest(root),
  };
}

/**
 * Configures and starts what a node's role is; the same again after a power cut.
 * @param {Cluster} cluster @param {Node} node
 */
async function startRole(cluster, node) {
  const secrets = { ...cluster.secrets, ...settingsFor(cluster, node) };
  const transport = transportOf({ ...cluster, secrets });
  const write = (/** @type {string} */ file, /** @type {string} */ text) =>
    must(transport, node, ['tee', file], { input: text });
  if (node.role === 'lb') {
    await must(transport, node, ['mkdir', '-p', '/etc/catalog']);
    const own = { port: 80, user: 'nobody nogroup', retries: fleet, keepsIdle: true };
    await write('/etc/catalog/nginx.conf', renderNginx({ ...nodeSettings, ...own, statusPort: undefined }));
    await write(upstreamsFile, upstreamsText(inventoryOf(cluster)));
  }
  await must(transport, node, ['bash', path.join(__dirname, 'roles', `${node.role}.sh`)]);
}

/** Power, and what every node has: folders of releases, sshd. @param {Cluster} cluster @param {Node} node */
async function bootNode(cluster, node) {
  await powerOn(cluster.machines, node);
  const secrets = { ...cluster.secrets, ...settingsFor(cluster, node) };
  await must(transportOf({ ...cluster, secrets }), node, ['bash', path.join(__dirname, 'roles/every-node.sh')]);
}

/**
 * The first release of a node; later ones come by a deploy.
 * @param {Cluster} cluster @param {Node} node
 */
async function installRelease(cluster, node) {
  const transport = transportOf(cluster);
  const id = 'first';
  await upload({ inventory: inventoryOf(cluster), transport, say: () => {} }, node, { id, source: root });
  await must(transport, node, commands.prepareSwitch(releaseDir(id)));
  await must(transport, node, commands.completeSwitch());
}

/** @param {Cluster} cluster @param {import('../fleet/inventory').AppNode} node */
async function startApp(cluster, node) {
  await startRole(cluster, node);
  for (let index = 0; index < node.workers; index += 1) {
    await must(transportOf(cluster), node, commands.awaitReady(node.adminPort + index, readyTimeoutMs));
  }
}

module.exports = { bootNode, installRelease, startApp, startRole };
