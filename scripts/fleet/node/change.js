'use strict';
const { appNodes, nodeNamed } = require('../inventory');
const { UsageError } = require('../../lib/command-line');

/** @typedef {import('../inventory').Inventory} Inventory */

/** @param {Inventory} inventory @param {string} name @returns {import('../inventory').AppNode} */
function appNamed(inventory, name) {
  const node = nodeNamed(inventory, name);
  const found = appNodes(inventory).find((app) => app === node);
  if (found) return found;
  throw new UsageError(
    `${name} is a ${node.role} node, and nginx balances app nodes only: write any other into the inventory, or take it out, yourself`,
  );
}

/** @param {Inventory} inventory @param {string} name that is about to leave */
function requireOthers(inventory, name) {
  const others = appNodes(inventory).filter((node) => node.state === 'up' && node.name !== name);
  if (others.length === 0) throw new UsageError(`${name} is the last node that serves: add another first`);
}

/** @param {string} name @returns {string} what the names of its kind begin with: app-3 is one of app */
const kindOf = (name) => name.replace(/-?[0-9]+$/, '');

/** Whatever is added here gets requests. @param {Inventory} inventory @param {string} name that is new */
function requireAppName(inventory, name) {
  const kinds = new Set(['app', ...appNodes(inventory).map((node) => kindOf(node.name))]);
  if (kinds.has(kindOf(name))) return;
  throw new UsageError(
    `${name} is not named like an app node (${[...kinds].join(', ')}): nginx balances those only; write any other node into the inventory yourself`,
  );
}

/** Pure: each takes an inventory and returns the next one. */
const changes = {
  /** @param {Inventory} inventory @param {string} name @param {Record<string, any>} fields */
  add: (inventory, name, fields) => {
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    const known = inventory.nodes.some((node) => node.name === name);
    if (known) {
      const changed = appNamed(inventory, name);
      return { nodes: inventory.nodes.map((node) => (node === changed ? { ...node, ...given, state: 'up' } : node)) };
    }
    requireAppName(inventory, name);
    if (!fields.address) throw new UsageError(`${name} is new: --address IP says where it is`);
    return { nodes: [...inventory.nodes, /** @type {any} */ ({ name, role: 'app', ...given })] };
  },
  /** @param {Inventory} inventory @param {string} name @returns {Inventory} */
  drain: (inventory, name) => {
    const changed = appNamed(inventory, name);
    requireOthers(inventory, name);
    return { nodes: inventory.nodes.map((node) => (node === changed ? { ...node, state: 'drain' } : node)) };
  },
  /** @param {Inventory} inventory @param {string} name */
  remove: (inventory, name) => {
    const gone = appNamed(inventory, name);
    requireOthers(inventory, name);
    return { nodes: inventory.nodes.filter((node) => node !== gone) };
  },
};

module.exports = { changes };
