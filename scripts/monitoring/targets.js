'use strict';
const { appNodes, workersOf } = require('../fleet/inventory');
/** @import { Inventory } from '../fleet/inventory' */

/**
 * One group of Prometheus' file_sd: https://prometheus.io/docs/prometheus/latest/configuration/configuration/#file_sd_config
 * @typedef {{ targets: string[], labels: Record<string, string> }} TargetGroup
 */

/**
 * The admin listener of each worker, also on a drained node.
 * @param {Inventory} inventory
 * @returns {TargetGroup[]}
 */
const targetsOf = (inventory) =>
  appNodes(inventory).map((node) => ({
    targets: workersOf(node).map(({ address, adminPort }) => `${address}:${adminPort}`),
    labels: { node: node.name },
  }));

/**
 * @param {{ adminPorts: number[], writePorts?: number[] }} stack stack.json of a running stack
 * @returns {TargetGroup[]}
 */
const targetsOfStack = ({ adminPorts, writePorts: [, writer] = [] }) => [
  { targets: adminPorts.map((port) => `127.0.0.1:${port}`), labels: { node: 'localhost' } },
  ...(writer ? [{ targets: [`127.0.0.1:${writer}`], labels: { node: 'localhost', job: 'catalog-writer' } }] : []),
];

module.exports = { targetsOf, targetsOfStack };
