'use strict';
const crypto = require('node:crypto');
const os = require('node:os');
const path = require('node:path');
const { appNodes } = require('../inventory');
const { UsageError } = require('../../lib/command-line');
const { commands } = require('./commands');
const { prune, upload } = require('./release');
const { roll } = require('./roll');

/** @typedef {import('./roll').Fleet} Fleet @typedef {import('../inventory').Inventory} Inventory */

/** @returns {string} sorts by time; two in one second differ */
const newId = () => `${new Date().toISOString().replace(/[-:]|\..*/g, '')}-${crypto.randomBytes(2).toString('hex')}`;

/**
 * The loader on a database's node is switched last and goes back first, so no worker reads documents of a newer loader.
 * @param {Inventory} inventory
 */
const workersFirst = ({ nodes }) => [
  ...nodes.filter(({ role }) => role === 'app'),
  ...nodes.filter(({ role }) => role !== 'app'),
];

/**
 * @param {Fleet} fleet @param {import('../inventory').Node} node
 * @returns {Promise<string>} why it cannot be deployed to; empty if it can
 */
async function faultOf({ inventory, transport }, node) {
  const { status, printed } = await transport(node, commands.current());
  if (status !== 0) return `it cannot be reached, or has no release: ${printed}`;
  const app = appNodes(inventory).find((one) => one === node);
  if (!app) return '';
  const pm2 = await transport(node, commands.pidOf(app.workerPort));
  return pm2.status === 0 ? '' : `its workers cannot be reloaded: ${pm2.printed}`;
}

/** A node that cannot be reached, or whose workers are stopped, would make all others go back in the middle. @param {Fleet} fleet */
async function requireAllReachable(fleet) {
  const faults = [];
  for (const node of fleet.inventory.nodes) {
    const fault = await faultOf(fleet, node);
    if (fault) faults.push(`${node.name}: ${fault}`);
  }
  if (faults.length === 0) return;
  throw new UsageError(
    `nothing was changed. Fix these nodes or remove them from the inventory:\n  ${faults.join('\n  ')}`,
  );
}

/**
 * Allows one deploy at a time in a fleet. The lock is a folder on the first app node, because mkdir is atomic.
 * @template T
 * @param {Fleet} fleet @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function locked(fleet, work) {
  const { inventory, transport } = fleet;
  const [first] = appNodes(inventory);
  if (!first) throw new UsageError('the inventory has no app node: there is nothing to deploy to');
  await requireAllReachable(fleet);
  const { status, printed } = await transport(first, commands.lock());
  if (status !== 0) {
    throw new UsageError(
      `${first.name}: ${printed}: another deploy runs. If it was killed, run there: ${commands.unlock().join(' ')}`,
    );
  }
  try {
    return await work();
  } finally {
    await transport(first, commands.unlock());
  }
}

/** Logs the result on every node; a node that was lost does not keep the others from logging it. @param {Fleet} fleet @param {Record<string, unknown>} entry */
async function audit({ inventory, transport, say }, entry) {
  const line = JSON.stringify({
    time: new Date().toISOString(),
    by: os.userInfo().username,
    ...entry,
  });
  for (const node of inventory.nodes) {
    const { status, printed } = await transport(node, commands.audit(), { input: `${line}\n` });
    if (status !== 0) say(`${node.name}: its deploys.log has no line about this: ${printed}`);
  }
}

/**
 * @param {Fleet} fleet @param {string} source folder of the release, a clone of the repository
 * @returns {Promise<{ ok: boolean, reason: string }>}
 */
function deploy(fleet, source) {
  return locked(fleet, async () => {
    const id = newId();
    const nodes = workersFirst(fleet.inventory);
    for (const node of nodes) await upload(fleet, node, { id, source });
    await requireSettings(fleet, id);
    const result = await roll(fleet, nodes, { id, isNew: true });
    await audit(fleet, { action: 'deploy', release: id, ...result });
    if (result.ok) await prune(fleet).catch(({ message }) => fleet.say(`old releases stay: ${message}`));
    return result;
  });
}

/** @param {Fleet} fleet @param {string} id @throws {UsageError} with the settings of nodes that the release refuses */
async function requireSettings({ inventory, transport }, id) {
  const faults = [];
  for (const node of appNodes(inventory)) {
    const { status, printed } = await transport(node, commands.checkSettings(id));
    if (status !== 0) faults.push(`${node.name}: ${printed}`);
  }
  if (faults.length > 0) throw new UsageError(`no worker was changed. ${faults.join('\n')}`);
}

/**
 * After an interrupted deploy the nodes may disagree: the previous release of one node may never have served everywhere.
 * @param {Fleet} fleet @returns {Promise<string>} id
 * @throws {UsageError} if they disagree, or there is no previous release
 */
async function releaseBefore({ inventory, transport }) {
  const links = [];
  for (const node of inventory.nodes) {
    const words = [commands.current(), commands.interrupted(), commands.previous()];
    const [now, interrupted, previous] = await Promise.all(
      words.map(async (link) => path.basename((await transport(node, link)).output)),
    );
    links.push({ name: node.name, now, before: interrupted || previous || 'none' });
  }
  const [{ now, before }] = links;
  if (links.some((other) => other.now !== now || other.before !== before)) {
    const lines = links.map((each) => `  ${each.name}: ${each.now}, previous: ${each.before}`);
    throw new UsageError(
      `the nodes disagree about the previous release:\n${lines.join('\n')}\nchoose one: npm run rollback -- RELEASE`,
    );
  }
  if (before !== 'none') return before;
  throw new UsageError(
    `${now} is the first release, or a rollback to it is done; to go to another one, run npm run rollback -- RELEASE`,
  );
}

/**
 * Goes back to the release that served before the last deploy, once, or to a named one.
 * @param {Fleet} fleet @param {string} [chosen] id
 * @returns {Promise<{ ok: boolean, reason: string }>}
 */
function rollback(fleet, chosen) {
  return locked(fleet, async () => {
    const id = chosen ?? (await releaseBefore(fleet));
    for (const node of fleet.inventory.nodes) {
      if ((await fleet.transport(node, commands.hasRelease(id))).status === 0) continue;
      throw new UsageError(`${node.name} does not have ${id}: deploy the older commit instead`);
    }
    const result = await roll(fleet, workersFirst(fleet.inventory).reverse(), { id, isNew: false });
    await audit(fleet, { action: 'rollback', release: id, ...result });
    return result;
  });
}

module.exports = { deploy, rollback };
