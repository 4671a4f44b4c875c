'use strict';

/** A network of the cluster's own; it exists only inside its namespaces, so it collides with nothing. */
const network = '10.77.0.0/24';
const client = '10.77.0.1';
const workersPerNode = 2;
/** No part of the fleet: where an administrator types. @type {{ name: string, role: any, address: string }} */
const admin = { name: 'admin', role: 'admin', address: '10.77.0.2' };

/**
 * The whole topology as a list: the only input of everything else here.
 * @param {number} nodes app nodes, 1 to 9
 * @returns {import('../fleet/inventory').Inventory}
 */
const topology = (nodes) => ({
  nodes: [
    { name: 'lb-1', role: 'lb', address: '10.77.0.10' },
    { name: 'db-1', role: 'db', address: '10.77.0.20' },
    { name: 'db-2', role: 'db', address: '10.77.0.21', replicaOf: 'db-1' },
    { name: 'cache-1', role: 'cache', address: '10.77.0.40' },
    ...Array.from({ length: nodes }, (_, index) => appNode(index + 1)),
  ],
});

/** @param {number} number from 1 @returns {import('../fleet/inventory').AppNode} */
const appNode = (number) => ({
  name: `app-${number}`,
  role: 'app',
  address: `10.77.0.${30 + number}`,
  workers: workersPerNode,
  workerPort: 3030,
  adminPort: 9030,
  state: 'up',
});

module.exports = { admin, client, network, topology };
