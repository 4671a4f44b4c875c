'use strict';
const { appNodes, workersOf } = require('../inventory');
const { must } = require('../transport');
const { commands, releaseDir } = require('./commands');

/** PM2 itself waits 15 s (listen_timeout); a worker that is not ready then will not become ready. */
const readyDeadlineMs = 20_000;
/** Long enough to notice what a new release does wrong at once: PM2 restarts a worker that ends within this time. */
const watchMs = 5_000;

/**
 * @typedef {import('../inventory').Node} Node
 * @typedef {ReturnType<typeof workersOf>[number]} Worker
 * @typedef {object} Touched
 * @property {Node} node
 * @property {string} before folder of the release that it ran before
 * @property {string} rollbackTarget of the release that a later rollback goes to: the same, unless its deploy was interrupted
 * @property {Worker[]} reloaded
 * @typedef {{ id: string, isNew: boolean }} Release
 * @typedef {object} Fleet
 * @property {import('../inventory').Inventory} inventory
 * @property {import('../transport').Transport} transport
 * @property {(line: string) => void} say
 */

/** @param {Fleet} fleet @param {Node} node @param {string} target folder of a release */
async function switchTo({ transport }, node, target) {
  await must(transport, node, commands.prepareSwitch(target));
  await must(transport, node, commands.completeSwitch());
}

/**
 * Stops one worker (it drains), starts it from `current`, and waits until it is ready. It also checks the worker's folder,
 * because a worker of the old release is ready at once.
 * @param {Fleet} fleet @param {Node} node @param {{ port: number, adminPort: number }} worker
 * @param {string} target folder of the release
 * @returns {Promise<string>} why it is not ready, in the node's words; empty if it is
 */
async function reloadWorker({ transport }, node, { port, adminPort }, target) {
  const notReady = (/** @type {string} */ why) => `did not become ready${why && `: ${why.slice(-500)}`}`;
  for (const words of [commands.reloadWorker(port), commands.awaitReady(adminPort, readyDeadlineMs)]) {
    const { status, printed } = await transport(node, words);
    if (status !== 0) return notReady(printed);
  }
  const pid = await transport(node, commands.pidOf(port));
  if (pid.status !== 0) return notReady(pid.printed);
  const folder = await transport(node, commands.folderOf(pid.output));
  if (folder.status !== 0) return notReady(folder.printed);
  return folder.output === target ? '' : notReady(`it still runs in ${folder.output}`);
}

/**
 * Readiness is about connections, not about replies: the canary must also answer requests, and still run after a while.
 * @param {Fleet} fleet @param {Node} node @param {Worker} worker @returns {Promise<string>} what is wrong; empty if nothing is
 */
async function watchCanary({ transport, say }, node, { port }) {
  say(`${node.name}: worker ${port} is the canary: watched for ${watchMs / 1000} s`);
  const pid = await must(transport, node, commands.pidOf(port));
  const { status, printed } = await transport(node, commands.watchWorker(port, watchMs));
  if (status !== 0) return `does not serve: ${printed.slice(-500)}`;
  return (await must(transport, node, commands.pidOf(port))) === pid ? '' : 'ended and was restarted: see its log';
}

/** @param {Fleet} fleet @param {Node} node @returns {Worker[]} none on a node of another role */
function workersOn({ inventory }, node) {
  const app = appNodes(inventory).find((one) => one === node);
  return app ? workersOf(app) : [];
}

/**
 * Switches all nodes to a release that they have, worker by worker; a node without workers is only switched. The first
 * worker of a deploy is the canary: the others keep running unchanged while it is watched. If it fails, another does not
 * become ready or a node is lost, all reloaded workers go back, the last first. The target of a rollback changes only when
 * every node is switched, so a deploy that went back leaves it unchanged.
 * @param {Fleet} fleet @param {Node[]} nodes in their order @param {Release} release
 * @returns {Promise<{ ok: boolean, reason: string }>}
 */
async function roll(fleet, nodes, release) {
  /** @type {Touched[]} the last first */
  const touched = [];
  for (const node of nodes) {
    const fault = await rollNode(fleet, node, release, touched).catch((error) => error.message);
    if (fault) return { ok: false, reason: `${fault}; ${await rollBackAll(fleet, touched)}` };
  }
  for (const { node, rollbackTarget } of touched) {
    // After a rollback there is none: a repeated rollback would go forward again.
    const words = release.isNew ? commands.notePrevious(rollbackTarget) : commands.forgetPrevious();
    await must(fleet.transport, node, words);
    await must(fleet.transport, node, commands.forgetInterrupted());
  }
  return { ok: true, reason: `${release.id} serves on every node` };
}

/**
 * If this process is killed, the link `interrupted` shows a later deploy or rollback which release had served. A rollback
 * sets none: a repeated one would go forward.
 * @param {Fleet} fleet @param {Node} node @param {Release} release
 * @param {Touched[]} touched gets the node before anything of it is changed
 * @returns {Promise<string>} what is wrong; empty when all its workers are ready and the canary serves
 */
async function rollNode(fleet, node, { id, isNew }, touched) {
  const target = releaseDir(id);
  const before = await must(fleet.transport, node, commands.current());
  const rollbackTarget = (await fleet.transport(node, commands.interrupted())).output || before;
  /** @type {Worker[]} */
  const reloaded = [];
  touched.unshift({ node, before, rollbackTarget, reloaded });
  if (isNew) await must(fleet.transport, node, commands.noteInterrupted(rollbackTarget));
  await switchTo(fleet, node, target);
  for (const worker of workersOn(fleet, node)) {
    reloaded.unshift(worker);
    fleet.say(`${node.name}: worker ${worker.port}`);
    // A rollback watches none: its release has served before, and wrong data must not block it.
    const isCanary = isNew && touched.length === 1 && reloaded.length === 1;
    const fault =
      (await reloadWorker(fleet, node, worker, target)) || (isCanary ? await watchCanary(fleet, node, worker) : '');
    if (fault) return `${node.name}: worker ${worker.port} of ${id} ${fault}`;
  }
  return '';
}

/**
 * Takes all reloaded workers back; a lost node does not keep the others from going back.
 * @param {Fleet} fleet @param {Touched[]} touched
 * @returns {Promise<string>} the result, in words
 */
async function rollBackAll(fleet, touched) {
  /** @type {string[]} */
  const broken = [];
  for (const one of touched) broken.push(...(await rollBackNode(fleet, one).catch((error) => [error.message])));
  return broken.length > 0
    ? `NOT READY after going back: ${broken.join(', ')}: see their logs`
    : 'all are back on the release before';
}

/** @param {Fleet} fleet @param {Touched} touched @returns {Promise<string[]>} workers that did not become ready */
async function rollBackNode(fleet, { node, before, rollbackTarget, reloaded }) {
  await switchTo(fleet, node, before);
  const broken = [];
  for (const worker of reloaded) {
    fleet.say(`${node.name}: worker ${worker.port} back to ${before}`);
    if (await reloadWorker(fleet, node, worker, before)) broken.push(`${node.name} worker ${worker.port}`);
  }
  if (before === rollbackTarget) await must(fleet.transport, node, commands.forgetInterrupted());
  return broken;
}

module.exports = { roll };
