'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { nodeNamed } = require('../lib/inventory');
const { root } = require('../lib/runtime');
const { execute } = require('../lib/transport');
const { inventoryOf, saveCluster, transportOf } = require('./cluster');
const { fromClient, powerOn, processesOf } = require('./machine');
const { startRole } = require('./setup');

/* What is done to a cluster while it is under load, and how the outcome is told. */

/**
 * @typedef {import('./cluster').Cluster} Cluster
 * @typedef {{ measured: string, pass: boolean, failures?: string[] }} Outcome
 */

/** @param {number} seconds */
const pause = (seconds) => new Promise((resolve) => void setTimeout(resolve, seconds * 1000));

/** @param {import('./under-load').Seen} seen @param {boolean} [also] @param {string} [more] @returns {Outcome} */
const outcome = ({ sent, failed, unsent, p99, max, slow, failures }, also = true, more = '') => ({
  measured: `${failed} failed of ${sent}; p99 ${p99} ms, longest ${max} ms, ${slow} over 300 ms${unsent ? `, ${unsent} NOT SENT` : ''}${more}`,
  pass: failed === 0 && unsent === 0 && also,
  failures,
});

/** @param {Cluster} cluster */
const fleetOf = (cluster) => ({
  inventory: inventoryOf(cluster),
  transport: transportOf(cluster),
  say: () => {},
});

/** @param {Cluster} cluster @param {string[]} words of clients.js @returns {Promise<any>} */
async function client({ machines }, ...words) {
  const command = [process.execPath, path.join(__dirname, 'clients.js'), ...words];
  const { status, output } = await execute(fromClient(machines, command));
  if (status !== 0) throw new Error(`clients.js ${words[0]}: ${output}`);
  return JSON.parse(output);
}

/** @param {Cluster} cluster @param {string} name */
async function switchOn(cluster, name) {
  const node = nodeNamed(inventoryOf(cluster), name);
  await powerOn(cluster.machines, node);
  saveCluster(cluster);
  await startRole(cluster, node);
}

/** @param {Cluster} cluster @param {string} name @param {NodeJS.Signals} signal */
function signalNode({ machines }, name, signal) {
  for (const pid of processesOf(machines, name)) process.kill(pid, signal);
}

/** @param {Cluster} cluster @param {string} name @param {string} code of server/index.js @returns {string} a clone */
function brokenRelease(cluster, name, code) {
  const dir = path.join(cluster.machines.dir, name);
  fs.mkdirSync(dir, { recursive: true });
  for (const entry of ['server', 'ecosystem.config.js', 'package.json', 'package-lock.json']) {
    fs.cpSync(path.join(root, entry), path.join(dir, entry), { recursive: true });
  }
  fs.writeFileSync(path.join(dir, 'server/index.js'), code);
  return dir;
}

module.exports = { brokenRelease, client, fleetOf, outcome, pause, signalNode, switchOn };
