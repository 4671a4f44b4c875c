'use strict';
const { appNodes, workersOf } = require('../lib/inventory');
const { must } = require('../lib/transport');
const { commands, releaseDir } = require('./commands');

/** PM2 itself waits 15 s (listen_timeout); a worker that then still is not ready will not become it. */
const readyDeadlineMs = 20_000;

/**
 * @typedef {import('../lib/inventory').AppNode} AppNode
 * @typedef {object} Fleet
 * @property {import('../lib/inventory').Inventory} inventory
 * @property {import('../lib/transport').Transport} transport
 * @property {(line: string) => void} say
 */

/** @param {Fleet} fleet @param {AppNode} node @param {string} target folder of a release */
async function switchTo({ transport }, node, target) {
  await must(transport, node, commands.prepareSwitch(target));
  await must(transport, node, commands.completeSwitch());
}

/**
 * One worker: stopped (it drains), started from what `current` names, waited for. It is also asked where it runs: a
 * worker of the old release is ready at once.
 * @param {Fleet} fleet @param {AppNode} node @param {{ port: number, adminPort: number }} worker
 * @param {string} target folder of the release
 * @returns {Promise<boolean>} whether it is ready
 */
async function renew({ transport }, node, { port, adminPort }, target) {
  const good = async (/** @type {string[]} */ words) => {
    const { status, output } = await transport(node, words);
    return status === 0 ? output : null;
  };
  if ((await good(commands.reloadWorker(port))) === null) return false;
  if ((await good(commands.awaitReady(adminPort, readyDeadlineMs))) === null) return false;
  const pid = await good(commands.pidOf(port));
  return pid !== null && (await good(commands.folderOf(pid))) === target;
}

/**
 * Brings a release that lies on all nodes into service, worker by worker. The first worker of the first node is the
 * canary: everything else stays as it is until it is ready. When one does not become ready, all that were renewed go
 * back, the last first, and the rest were never touched.
 * @param {Fleet} fleet @param {string} id of the release
 * @returns {Promise<{ ok: boolean, reason: string }>}
 */
async function roll(fleet, id) {
  const { inventory, transport, say } = fleet;
  /** @type {{ node: AppNode, before: string, renewed: ReturnType<typeof workersOf> }[]} */
  const touched = [];
  for (const node of appNodes(inventory)) {
    const before = await must(transport, node, commands.current());
    /** @type {ReturnType<typeof workersOf>} */
    const renewed = [];
    touched.unshift({ node, before, renewed });
    await switchTo(fleet, node, releaseDir(id));
    for (const worker of workersOf(node)) {
      renewed.unshift(worker);
      say(`${node.name}: worker ${worker.port}`);
      if (!(await renew(fleet, node, worker, releaseDir(id)))) {
        const reason = `${node.name}: worker ${worker.port} of ${id} did not become ready`;
        return { ok: false, reason: `${reason}; ${await goBack(fleet, touched)}` };
      }
    }
    if (before !== releaseDir(id)) await must(transport, node, commands.notePrevious(before));
  }
  return { ok: true, reason: `${id} serves on every node` };
}

/**
 * @param {Fleet} fleet
 * @param {{ node: AppNode, before: string, renewed: ReturnType<typeof workersOf> }[]} touched
 * @returns {Promise<string>} what became of it
 */
async function goBack(fleet, touched) {
  const broken = [];
  for (const { node, before, renewed } of touched) {
    await switchTo(fleet, node, before);
    for (const worker of renewed) {
      fleet.say(`${node.name}: worker ${worker.port} back to ${before}`);
      if (!(await renew(fleet, node, worker, before)))
        broken.push(`${node.name} worker ${worker.port}`);
    }
  }
  return broken.length > 0
    ? `after going back NOT READY: ${broken.join(', ')}: see their logs`
    : 'all are back on the release before';
}

module.exports = { roll };
