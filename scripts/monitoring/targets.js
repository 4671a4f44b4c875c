'use strict';

/**
 * One group of Prometheus' file_sd: https://prometheus.io/docs/prometheus/latest/configuration/configuration/#file_sd_config
 * @typedef {{ targets: string[], labels: Record<string, string> }} TargetGroup
 */

/**
 * The role monitor of scripts/fleet renders those of an inventory.
 * @param {{ adminPorts: number[], writePorts?: number[] }} stack stack.json of a running stack
 * @returns {TargetGroup[]}
 */
const targetsOfStack = ({ adminPorts, writePorts: [, writer] = [] }) => [
  { targets: adminPorts.map((port) => `127.0.0.1:${port}`), labels: { node: 'localhost' } },
  ...(writer ? [{ targets: [`127.0.0.1:${writer}`], labels: { node: 'localhost', job: 'catalog-writer' } }] : []),
];

module.exports = { targetsOfStack };
