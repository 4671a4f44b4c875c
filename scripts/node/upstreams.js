'use strict';
const { upstreamsFile } = require('../../nginx/node');
const { renderUpstreams } = require('../../nginx/upstreams');
const { appNodes, workersOf } = require('../lib/inventory');
const { must } = require('../lib/transport');

/** @param {import('../lib/inventory').Inventory} inventory @returns {string} */
const upstreamsText = (inventory) =>
  renderUpstreams(
    appNodes(inventory).map((node) => ({
      addresses: workersOf(node).map(({ address, port }) => `${address}:${port}`),
      down: node.state === 'drain',
    })),
  );

const reload = ['systemctl', 'reload', 'catalog-nginx'];

/**
 * Tells every balancer who serves, and has it reload. nginx refuses a list that it cannot read and goes on with the
 * one it has; then the file goes back to that, or the next restart would fail.
 * @param {import('../lib/inventory').Inventory} inventory @param {import('../lib/transport').Transport} transport
 */
async function applyUpstreams(inventory, transport) {
  for (const node of inventory.nodes.filter(({ role }) => role === 'lb')) {
    const before = await must(transport, node, ['cat', upstreamsFile]);
    await must(transport, node, ['tee', upstreamsFile], { input: upstreamsText(inventory) });
    const { status, printed } = await transport(node, reload);
    if (status !== 0) {
      await must(transport, node, ['tee', upstreamsFile], { input: `${before}\n` });
      throw new Error(`${node.name} keeps its old list, nginx refuses the new one: ${printed}`);
    }
  }
}

module.exports = { applyUpstreams, upstreamsText };
