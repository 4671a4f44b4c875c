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
 * The loader of a database's node comes last, and goes back first: no worker meets the documents of a loader that is
 * newer than itself.
 * @param {Inventory} inventory
 */
const workersFirst = ({ nodes }) => [
  ...nodes.filter(({ role }) => role === 'app'),
  ...nodes.filter(({ role }) => role !== 'app'),
];

/**
 * @param {Fleet} fleet @param {import('../inventory').Node} node
 * @returns {Promise<string>} why it cannot come along; empty when it can
 */
async function faultOf({ inventory, transport }, node) {
  const { status, printed } = await transport(node, commands.current());
  if (status !== 0) return `not reached, or without a release: ${printed}`;
  const app = appNodes(inventory).find((one) => one === node);
  if (!app) return '';
  const pm2 = await transport(node, commands.pidOf(app.workerPort));
  return pm2.status === 0 ? '' : `its workers cannot be reloaded: ${pm2.printed}`;
}

/** One that is away, or whose workers are stopped, would take all others back in the middle. @param {Fleet} fleet */
async function requireAllReachable(fleet) {
  const faults = [];
  for (const node of fleet.inventory.nodes) {
    const fault = await faultOf(fleet, node);
    if (fault) faults.push(`${node.name}: ${fault}`);
  }
  if (faults.length === 0) return;
  throw new UsageError(
    `nothing was changed. Fix these nodes or take them out of the inventory:\n  ${faults.join('\n  ')}`,
  );
}

/**
 * One deploy at a time in a fleet: the lock is a folder on the first app node, made or refused in one step.
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
  for (const node of inventory.nodes) {
    const { status, printed } = await transport(node, commands.audit(), { input: `${line}\n` });
    if (status !== 0) say(`${node.name}: no line in its log of deploys: ${printed}`);
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

/** @param {Fleet} fleet @param {string} id @throws {UsageError} with what the release refuses of a node's settings */
async function requireSettings({ inventory, transport }, id) {
  const faults = [];
  for (const node of appNodes(inventory)) {
    const { status, printed } = await transport(node, commands.checkSettings(id));
    if (status !== 0) faults.push(`${node.name}: ${printed}`);
  }
  if (faults.length > 0) throw new UsageError(`no worker was changed. ${faults.join('\n')}`);
}

/**
 * Nodes disagree after a deploy that was interrupted: "the release before" of one may be what never served everywhere.
 * @param {Fleet} fleet @returns {Promise<string>} id
 * @throws {UsageError} when they do, or none has one
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
    const lines = links.map((each) => `  ${each.name}: ${each.now}, before it ${each.before}`);
    throw new UsageError(
      `the nodes disagree about the release before:\n${lines.join('\n')}\nchoose one: npm run rollback -- RELEASE`,
    );
  }
  if (before !== 'none') return before;
  throw new UsageError(
    `${now} is the first release, or a rollback to it has ended already; npm run rollback -- RELEASE goes elsewhere`,
  );
}

/**
 * Back to the release that served before the last deploy, once, or to one that is named.
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
