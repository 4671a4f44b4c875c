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
    `${name} is a ${node.role} node, and nginx balances only app nodes: edit the inventory yourself to add or remove it`,
  );
}

/** @param {Inventory} inventory @param {string} name that is drained or removed */
function requireOthers(inventory, name) {
  const others = appNodes(inventory).filter((node) => node.state === 'up' && node.name !== name);
  if (others.length === 0) throw new UsageError(`${name} is the last app node in service: add another one first`);
}

/** @param {string} name @returns {string} the name without its number: app for app-3 */
const kindOf = (name) => name.replace(/-?[0-9]+$/, '');

/** A node that is added here gets requests. @param {Inventory} inventory @param {string} name that is new */
function requireAppName(inventory, name) {
  const kinds = new Set(['app', ...appNodes(inventory).map((node) => kindOf(node.name))]);
  if (kinds.has(kindOf(name))) return;
  throw new UsageError(
    `${name} is not named like an app node (${[...kinds].join(', ')}): nginx balances only those; to add another node, edit the inventory yourself`,
  );
}

/** Each takes an inventory and returns the next one, without side effects. */
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
    if (!fields.address) throw new UsageError(`${name} is a new node: give its --address IP`);
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
