'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { packed, packedFiles } = require('../fleet/deploy/release');
const { nodeNamed } = require('../fleet/inventory');
const { root } = require('../lib/runtime');
const { inventoryOf, saveCluster } = require('./cluster');
const { processesOf } = require('./machine');
const { bootNode, startRole } = require('./setup');
const { admin } = require('./topology');

/* Actions on a cluster under load, and how an outcome is reported. */

/**
 * @typedef {import('./cluster').Cluster} Cluster
 * @typedef {{ measured: string, pass: boolean, inTime?: boolean, failures?: string[] }} Outcome `inTime`: depends on the speed of
 *   the machine, too; `npm test` does not judge it
 */

/** @param {number} seconds */
const pause = (seconds) => sleep(seconds * 1000);

/** @param {import('./under-load').Seen} seen @param {boolean} [also] @param {string} [more] @returns {Outcome} */
const outcome = ({ sent, failed, unsent, p99, max, slow, failures }, also = true, more = '') => ({
  measured: `${failed} failed of ${sent}; p99 ${p99} ms, longest ${max} ms, ${slow} over 300 ms${unsent ? `, ${unsent} NOT SENT` : ''}${more}`,
  pass: failed === 0 && unsent === 0 && also,
  failures,
});

/** @param {Cluster} cluster @param {string} name */
async function switchOn(cluster, name) {
  const node = nodeNamed(inventoryOf(cluster), name);
  await bootNode(cluster, node);
  saveCluster(cluster);
  await startRole(cluster, node);
}

/** @param {Cluster} cluster @param {string} name @param {NodeJS.Signals} signal */
function signalNode({ machines }, name, signal) {
  for (const pid of processesOf(machines, name)) process.kill(pid, signal);
}

/**
 * @param {Cluster} cluster @param {string} name @param {string} code of server/index.js
 * @returns {string} a clone on the administrator's machine
 */
function brokenClone({ machines }, name, code) {
  const dir = path.join('/srv', name);
  const seen = path.join('/proc', String(machines.pids[admin.name]), 'root', dir);
  for (const entry of [...packed, ...packedFiles]) {
    fs.cpSync(path.join(root, entry), path.join(seen, entry), { recursive: true });
  }
  fs.writeFileSync(path.join(seen, 'server/index.js'), code);
  return dir;
}

module.exports = { brokenClone, outcome, pause, signalNode, switchOn };
