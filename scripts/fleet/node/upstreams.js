'use strict';
const { upstreamsFile } = require('../../../nginx/node-paths');
const { renderUpstreams } = require('../../../nginx/upstreams');
const { appNodes, workersOf } = require('../inventory');
const { UsageError } = require('../../lib/command-line');

/** @typedef {import('../inventory').Inventory} Inventory @typedef {import('../inventory').Node} Node */
/** @typedef {import('../transport').Transport} Transport */
/** @typedef {{ words: string[], input?: string }} Step */

/** @param {Inventory} inventory @returns {string} */
const upstreamsText = (inventory) =>
  renderUpstreams(
    appNodes(inventory).map((node) => ({
      addresses: workersOf(node).map(({ address, port }) => `${address}:${port}`),
      down: node.state === 'drain',
    })),
  );

const draft = `${upstreamsFile}.new`;
/** Renamed when it is complete, so that a broken connection leaves no partial list. @param {string} list @returns {Step[]} */
const lay = (list) => [{ words: ['tee', draft], input: list }, { words: ['mv', draft, upstreamsFile] }];
/** @type {Step} */
const reload = { words: ['systemctl', 'reload', 'catalog-nginx'] };

/** @param {Transport} transport @param {Node} node @param {Step[]} steps @returns {Promise<string>} what failed; empty if nothing did */
async function take(transport, node, steps) {
  for (const { words, input } of steps) {
    const { status, printed } = await transport(node, words, { input });
    if (status !== 0) return `${node.name}: ${words.join(' ')} failed: ${printed.slice(-500)}`;
  }
  return '';
}

/** Checks all balancers before one is changed. @param {Inventory} inventory @param {Transport} transport @throws {UsageError} */
async function presentLists({ nodes }, transport) {
  const balancers = nodes.filter(({ role }) => role === 'lb');
  const answers = await Promise.all(
    balancers.map(async (node) => ({ node, ...(await transport(node, ['cat', upstreamsFile])) })),
  );
  const away = answers.filter(({ status }) => status !== 0).map(({ node, printed }) => `${node.name}: ${printed}`);
  if (away.length === 0) return answers.map(({ node, output }) => ({ node, list: `${output}\n` }));
  throw new UsageError(
    `nothing was changed. Fix these balancers or remove them from the inventory:\n  ${away.join('\n  ')}`,
  );
}

/**
 * Gives every balancer the list of workers and reloads it: all of them, or none. nginx refuses a list that it cannot read
 * and keeps the one that it has. Then the file is reverted, or the next restart would fail.
 * @param {Inventory} inventory @param {Transport} transport
 * @returns {Promise<string[]>} names of the balancers
 */
async function applyUpstreams(inventory, transport) {
  const balancers = await presentLists(inventory, transport);
  for (const [index, { node, list }] of balancers.entries()) {
    const refusal = await take(transport, node, [...lay(upstreamsText(inventory)), reload]);
    if (!refusal) continue;
    const faults = [await take(transport, node, lay(list))];
    for (const told of balancers.slice(0, index))
      faults.push(await take(transport, told.node, [...lay(told.list), reload]));
    const left = faults.filter(Boolean).map((fault) => `; NOT REVERTED: ${fault}`);
    throw new Error(`${node.name} refused the list, so all balancers keep the old one: ${refusal}${left.join('')}`);
  }
  return balancers.map(({ node }) => node.name);
}

module.exports = { applyUpstreams, upstreamsText };
