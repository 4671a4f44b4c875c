'use strict';
const { spawn } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { appNodes } = require('../lib/inventory');
const { UsageError } = require('../lib/options');
const { must } = require('../lib/transport');
const { commands } = require('./commands');
const { roll } = require('./roll');

/** What a node needs of the repository. */
const packed = ['server', 'nginx', 'etl', 'db', 'scripts'];
const packedFiles = ['ecosystem.config.js', 'package.json', 'package-lock.json', '.npmrc'];
const keptReleases = 3;

/** @typedef {import('./roll').Fleet} Fleet */

/** @returns {string} sorts by time; two in one second differ */
const newId = () =>
  `${new Date().toISOString().replace(/[-:]|\..*/g, '')}-${crypto.randomBytes(2).toString('hex')}`;

/** @param {string} source @returns {string} which set of node_modules belongs to it */
const lockDigest = (source) =>
  crypto
    .createHash('sha256')
    .update(fs.readFileSync(path.join(source, 'package-lock.json')))
    .digest('hex')
    .slice(0, 16);

/** @param {string} source @returns {import('node:stream').Readable} a tar */
function pack(source) {
  const files = [...packed, ...packedFiles].filter((file) =>
    fs.existsSync(path.join(source, file)),
  );
  return spawn('tar', ['-C', source, '-cf', '-', ...files], {
    stdio: ['ignore', 'pipe', 'inherit'],
  }).stdout;
}

/**
 * Lays a release down on a node; nothing serves from it yet.
 * @param {Fleet} fleet @param {import('../lib/inventory').AppNode} node
 * @param {{ id: string, source: string }} release
 */
async function upload({ transport }, node, { id, source }) {
  const lock = lockDigest(source);
  await must(transport, node, commands.makeRelease(id));
  await must(transport, node, commands.unpack(id), { input: pack(source) });
  if ((await transport(node, commands.hasModules(lock))).status !== 0) {
    await must(transport, node, commands.makeModules(lock));
    await must(transport, node, commands.installModules(id, lock));
    await must(transport, node, commands.keepModules(id, lock));
  }
  await must(transport, node, commands.linkModules(id, lock));
}

/**
 * One deploy at a time in a fleet: the lock is a folder on the first node, made or refused in one step.
 * @template T
 * @param {Fleet} fleet @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function locked({ inventory, transport }, work) {
  const [first] = appNodes(inventory);
  if (!first) throw new UsageError('the inventory has no app node: there is nothing to deploy to');
  const { status, printed } = await transport(first, commands.lock());
  if (status !== 0) {
    throw new UsageError(
      `${first.name}: ${printed}: another deploy runs; if it was killed: ${commands.unlock().join(' ')}`,
    );
  }
  try {
    return await work();
  } finally {
    await transport(first, commands.unlock());
  }
}

/** A node that died in the deploy keeps none of the others from knowing of it. @param {Fleet} fleet @param {Record<string, unknown>} entry */
async function audit({ inventory, transport, say }, entry) {
  const line = JSON.stringify({
    time: new Date().toISOString(),
    by: os.userInfo().username,
    ...entry,
  });
  for (const node of appNodes(inventory)) {
    const { status, printed } = await transport(node, commands.audit(), { input: `${line}\n` });
    if (status !== 0) say(`${node.name}: no line in its log of deploys: ${printed}`);
  }
}

/** The newest stay: one of them is what a rollback goes to. @param {Fleet} fleet */
async function prune({ inventory, transport }) {
  for (const node of appNodes(inventory)) {
    const ids = (await must(transport, node, commands.releases())).split('\n').filter(Boolean);
    const named = await Promise.all(
      [commands.current(), commands.previous()].map((words) => transport(node, words)),
    );
    const inUse = named.map(({ output }) => path.basename(output));
    for (const id of ids.slice(keptReleases).filter((old) => !inUse.includes(old))) {
      await must(transport, node, commands.removeRelease(id));
    }
  }
}

/**
 * @param {Fleet} fleet @param {string} source folder of the release, a clone of the repository
 * @returns {Promise<{ ok: boolean, reason: string }>}
 */
function deploy(fleet, source) {
  return locked(fleet, async () => {
    const id = newId();
    for (const node of appNodes(fleet.inventory)) await upload(fleet, node, { id, source });
    const result = await roll(fleet, id);
    await audit(fleet, { action: 'deploy', release: id, ...result });
    if (result.ok) await prune(fleet);
    return result;
  });
}

/**
 * Back to the release that served before the last deploy.
 * @param {Fleet} fleet
 * @returns {Promise<{ ok: boolean, reason: string }>}
 */
function rollback(fleet) {
  return locked(fleet, async () => {
    const [first] = appNodes(fleet.inventory);
    const { status, output } = await fleet.transport(first, commands.previous());
    if (status !== 0) throw new UsageError(`${first.name} had no release before this one`);
    const id = path.basename(output);
    for (const node of appNodes(fleet.inventory)) {
      if ((await fleet.transport(node, commands.hasRelease(id))).status === 0) continue;
      throw new UsageError(`${node.name} came after ${id}: deploy the older commit instead`);
    }
    const result = await roll(fleet, id);
    await audit(fleet, { action: 'rollback', release: id, ...result });
    return result;
  });
}

module.exports = { deploy, lockDigest, packed, packedFiles, rollback, upload };
