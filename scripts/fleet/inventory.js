'use strict';
const fs = require('node:fs');
const { disagreements, faultsOf } = require('./inventory-faults');
const { UsageError } = require('../lib/command-line');

/*
 * The list of machines and their roles. The upstreams of nginx, deploys, promotions and the targets of Prometheus are made
 * from it.
 */

/** @typedef {'lb' | 'db' | 'cache' | 'app'} Role */
/**
 * @typedef {object} Node a machine
 * @property {string} name
 * @property {Role} role
 * @property {string} address an IPv4 address
 * @property {string} [replicaOf] db and cache: name of the node that it follows
 * @property {number} [workers] app: processes, one port each
 * @property {number} [workerPort] app: port of the first worker
 * @property {number} [adminPort] app: port of the first worker's health and metrics
 * @property {'up' | 'drain'} [state] app: drain gets no new requests
 * @typedef {Node & Required<Pick<Node, 'workers' | 'workerPort' | 'adminPort' | 'state'>>} AppNode
 * @typedef {{ nodes: Node[] }} Inventory
 */

const appDefaults = { workers: 2, workerPort: 3030, adminPort: 9030, state: 'up' };

/**
 * @param {string} text JSON
 * @param {string} file as it was typed
 * @returns {Inventory} with its defaults filled in
 * @throws {UsageError} with all validation errors, one a line
 */
function parseInventory(text, file) {
  const nodes = nodesIn(text, file).map((/** @type {any} */ node) =>
    node?.role === 'app' ? { ...appDefaults, ...node } : (node ?? {}),
  );
  const alone = nodes.flatMap((/** @type {any} */ node, /** @type {number} */ index) =>
    faultsOf(node).map((fault) => `${node.name ?? `node ${index + 1}`}: ${fault}`),
  );
  const faults = alone.length > 0 ? alone : disagreements(nodes);
  if (faults.length > 0) {
    throw new UsageError(`${file} is not an inventory. Fix these:\n  ${faults.join('\n  ')}`);
  }
  return { nodes };
}

/** @param {string} text @param {string} file @returns {unknown[]} */
function nodesIn(text, file) {
  let nodes;
  try {
    nodes = JSON.parse(text)?.nodes;
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${/** @type {Error} */ (error).message}`);
  }
  if (!Array.isArray(nodes) || nodes.length === 0) {
    throw new UsageError(`${file} must be {"nodes": […]}: see scripts/inventory.example.json`);
  }
  return nodes;
}

/** @param {string} file @returns {Inventory} @throws {UsageError} */
function readInventory(file) {
  if (!fs.existsSync(file)) {
    throw new UsageError(`${file} is missing: copy scripts/inventory.example.json and edit it`);
  }
  return parseInventory(fs.readFileSync(file, 'utf8'), file);
}

/**
 * Writes a checked draft and syncs it, so that a reader never finds a partial or invalid list.
 * @param {string} file @param {Inventory} inventory
 * @returns {string} beside it, to be renamed into place
 */
function draftInventory(file, inventory) {
  const text = `${JSON.stringify(inventory, null, 2)}\n`;
  parseInventory(text, file);
  const draft = `${file}.new`;
  fs.writeFileSync(draft, text, { flush: true });
  return draft;
}

/** @param {string} file @param {Inventory} inventory */
const writeInventory = (file, inventory) => fs.renameSync(draftInventory(file, inventory), file);

/** @param {Node} node @returns {node is AppNode} */
const isApp = (node) => node.role === 'app';

/** @param {Inventory} inventory @returns {AppNode[]} */
const appNodes = ({ nodes }) => nodes.filter(isApp);

/** @param {Inventory} inventory @param {string} name @returns {Node} @throws {UsageError} */
function nodeNamed({ nodes }, name) {
  const found = nodes.find((node) => node.name === name);
  const names = nodes.map((node) => node.name).join(', ');
  if (!found) throw new UsageError(`there is no node ${name} in the inventory: ${names}`);
  return found;
}

/** @param {Inventory} inventory @param {'db' | 'cache'} role @returns {Node | undefined} */
const primaryOf = ({ nodes }, role) => nodes.find((node) => node.role === role && !node.replicaOf);

/** @param {Inventory} inventory @param {'db' | 'cache'} role @returns {Node[]} */
const replicasOf = ({ nodes }, role) => nodes.filter((node) => node.role === role && Boolean(node.replicaOf));

/**
 * @param {AppNode} node
 * @returns {{ address: string, port: number, adminPort: number }[]} one for each worker
 */
const workersOf = ({ address, workers, workerPort, adminPort }) =>
  Array.from({ length: workers }, (_, index) => ({
    address,
    port: workerPort + index,
    adminPort: adminPort + index,
  }));

module.exports = {
  appNodes,
  draftInventory,
  nodeNamed,
  parseInventory,
  primaryOf,
  readInventory,
  replicasOf,
  workersOf,
  writeInventory,
};
