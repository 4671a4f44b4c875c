'use strict';
const { spawn } = require('node:child_process');
const crypto = require('node:crypto');
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const { environment } = require('../../lib/environment');
const { must } = require('../transport');
const { commands, modulesDir, releaseDir } = require('./commands');

/* Copies releases to nodes and removes them; nothing here changes what serves. */

/** The parts of the repository that a node needs. */
const packed = ['server', 'nginx', 'etl', 'db', 'scripts'];
const packedFiles = ['ecosystem.config.js', 'package.json', 'package-lock.json', '.npmrc'];
const keptReleases = 3;

/** @typedef {import('./roll').Fleet} Fleet @typedef {import('../inventory').Node} Node */

/** @param {string} source @returns {string} which set of node_modules belongs to it */
const lockDigest = (source) =>
  crypto
    .createHash('sha256')
    .update(fs.readFileSync(path.join(source, 'package-lock.json')))
    .digest('hex')
    .slice(0, 16);

/**
 * Packs a release as root's and readable by all, whatever owner and modes the clone has. root unpacks it unchanged: no other
 * account of the node may own what root runs, and workers must be able to read it.
 * @param {string} source
 * @returns {{ tar: import('node:stream').Readable, whole: Promise<void> }} `whole`: rejects if tar fails
 */
function pack(source) {
  const files = [...packed, ...packedFiles].filter((file) => fs.existsSync(path.join(source, file)));
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
  const child = spawn('tar', [...owner, '-C', source, '-cf', '-', ...files], {
    env: environment('server'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const whole = once(child, 'close').then(([code]) => {
    if (code !== 0) throw new Error(`${source} cannot be packed: tar ended with exit status ${code}`);
  });
  // Unpacking may fail first; then nothing awaits this promise.
  whole.catch(() => {});
  return { tar: child.stdout, whole };
}

/**
 * Copies a release to a node; nothing serves from it yet.
 * @param {Fleet} fleet @param {Node} node
 * @param {{ id: string, source: string }} release
 */
async function upload({ transport }, node, { id, source }) {
  const withAgent = (await transport(node, commands.hasAgentKey())).status === 0;
  const set = withAgent ? `${lockDigest(source)}-newrelic` : lockDigest(source);
  await must(transport, node, commands.makeRelease(id));
  const { tar, whole } = pack(source);
  await must(transport, node, commands.unpack(id), { input: tar });
  await whole;
  if ((await transport(node, commands.hasModules(set))).status !== 0) {
    await must(transport, node, commands.makeModules(set));
    await must(transport, node, commands.installModules(id, set, withAgent));
    await must(transport, node, commands.keepModules(id, set));
  }
  await must(transport, node, commands.linkModules(id, set));
}

/**
 * Removes old releases. The newest stay, and on every node those that any node runs or would go back to.
 * @param {Fleet} fleet
 */
async function prune(fleet) {
  const { inventory, transport } = fleet;
  const named = [];
  for (const node of inventory.nodes) {
    named.push(await must(transport, node, commands.current()));
    named.push((await transport(node, commands.previous())).output);
  }
  for (const node of inventory.nodes) await pruneNode(fleet, node, named);
}

/**
 * Keeps the release that PM2 was started from, however old: PM2 starts every worker by a file in it.
 * @param {Fleet} fleet @param {Node} node @param {string[]} named folders of releases
 */
async function pruneNode({ transport, say }, node, named) {
  const ask = (/** @type {string[]} */ words) => must(transport, node, words);
  const linesOf = async (/** @type {string[]} */ words) => (await ask(words)).split('\n').filter(Boolean);
  const pm2 = node.role === 'app' ? daemonIn(await ask(commands.reportOfPm2())) : '';
  if (pm2 === undefined)
    return say(`${node.name}: PM2 does not report the folder that it runs in, so no old release was removed`);
  for (const id of (await linesOf(commands.releases())).slice(keptReleases)) {
    const dir = releaseDir(id);
    if (!named.includes(dir) && !pm2.startsWith(`${dir}/`)) await ask(commands.removeRelease(id));
  }
  const linked = [...(await linesOf(commands.linkedModules())), pm2];
  for (const name of await linesOf(commands.modules())) {
    if (!linked.some((file) => file.startsWith(`${modulesDir(name)}/`))) await ask(commands.removeModules(name));
  }
}

/** @param {string} report of PM2 @returns {string | undefined} the file that its daemon was started from */
const daemonIn = (report) => /^argv\s*:.*,(\/.*\/Daemon\.js)$/m.exec(report)?.[1];

module.exports = { lockDigest, pack, packed, packedFiles, prune, upload };
