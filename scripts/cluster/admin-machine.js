'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { environment } = require('../lib/environment');
const { root, runtimeDir } = require('../lib/runtime');
const { execute, must } = require('../fleet/transport');
const { UsageError } = require('../lib/command-line');
const { inventoryOf, transportOf } = require('./cluster');
const { onNode } = require('./machine');
const { admin } = require('./topology');

/*
 * The administrator's machine: this clone, the inventory, and a key that every node's sshd knows. What a person types
 * there reaches the nodes as it reaches real ones.
 */

/** @typedef {import('./cluster').Cluster} Cluster */

const packagesDir = path.join(runtimeDir, 'sshd');

/**
 * A machine without sshd gets the distribution's packages, which each node unpacks into its own root: nothing is
 * installed here.
 * @returns {string} folder of the packages; empty when this machine has sshd
 * @throws {UsageError} when there is neither
 */
function sshPackages() {
  if (fs.existsSync('/usr/sbin/sshd')) return '';
  if (fs.existsSync(packagesDir)) return packagesDir;
  const draft = `${packagesDir}.new`;
  fs.rmSync(draft, { recursive: true, force: true });
  for (const folder of ['state/lists/partial', 'cache/archives/partial'])
    fs.mkdirSync(path.join(draft, folder), { recursive: true });
  const places = { State: `${draft}/state`, 'State::status': '/var/lib/dpkg/status' };
  const options = Object.entries({ ...places, Cache: `${draft}/cache` }).flatMap(([name, value]) => [
    '-o',
    `Dir::${name}=${value}`,
  ]);
  const install = ['--yes', '--no-install-recommends', '--download-only', 'install'];
  for (const words of [['update'], [...install, 'openssh-server']]) {
    const all = ['-qq', ...options, '-o', 'APT::Sandbox::User=root', ...words];
    const { status, stderr, error } = spawnSync('apt-get', all, { encoding: 'utf8', env: environment('installer') });
    if (status === 0) continue;
    const why = error?.message ?? stderr.trim().split('\n').at(-1);
    throw new UsageError(`no sshd for the nodes (apt-get install openssh-server): ${why}`);
  }
  fs.rmSync(packagesDir, { recursive: true, force: true });
  fs.renameSync(`${draft}/cache/archives`, packagesDir);
  fs.rmSync(draft, { recursive: true });
  return packagesDir;
}

/**
 * @param {Cluster} cluster whose admin is switched on
 * @param {string} packages of sshPackages
 * @returns {Promise<Record<string, string>>} what roles/every-node.sh reads
 */
async function makeAdmin(cluster, packages) {
  const { nodes } = inventoryOf(cluster);
  const hosts = nodes.map(({ address, name }) => `${address} ${name}\n`).join('');
  const transport = transportOf({ ...cluster, secrets: { SSH_PACKAGES: packages } });
  await must(transport, admin, ['bash', path.join(__dirname, 'roles/admin.sh')]);
  await must(transport, admin, ['tee', '-a', '/etc/hosts'], { input: hosts });
  const read = (/** @type {string} */ file) => must(transport, admin, ['cat', `/etc/ssh/${file}`]);
  return {
    SSH_PACKAGES: packages,
    SSH_HOST_KEY: await read('nodes'),
    SSH_ADMIN_KEY: await read('admin.pub'),
  };
}

/** @param {Cluster} cluster @param {string} name @param {string} script for a shell in the clone */
const shellOn = ({ machines }, name, script) =>
  onNode(machines, name, ['env', '-C', root, `PATH=${process.env.PATH}`, 'bash', '-c', script]);

/**
 * @param {Cluster} cluster @param {string} script as an administrator types it
 * @returns {Promise<import('../fleet/transport').Result>}
 */
const asAdmin = (cluster, script) => execute(shellOn(cluster, admin.name, script));

module.exports = { asAdmin, makeAdmin, shellOn, sshPackages };
