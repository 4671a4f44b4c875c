'use strict';
const net = require('node:net');

/* Validation errors of an inventory, which say what to change. */

const roles = ['lb', 'db', 'cache', 'app'];
const common = ['name', 'role', 'address'];
/** @type {Record<string, string[]>} */
const ownFields = {
  lb: [],
  db: ['replicaOf'],
  cache: ['replicaOf'],
  app: ['workers', 'workerPort', 'adminPort', 'state'],
};

/** @param {unknown} value @param {number} max */
const isCount = (value, max) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max;

/** @param {Record<string, any>} node @returns {string[]} its own validation errors */
function faultsOf(node) {
  const faults = [];
  if (typeof node.name !== 'string' || !/^[a-z][a-z0-9-]{0,62}$/.test(node.name)) {
    faults.push('name must be lower-case letters, digits and "-"');
  }
  if (!roles.includes(node.role)) return [...faults, `role must be one of ${roles.join(', ')}`];
  // nginx does not start while a host name does not resolve. IPv6 would need brackets in HOST:PORT.
  if (!net.isIPv4(node.address)) faults.push('address must be an IPv4 address');
  const known = [...common, ...ownFields[node.role]];
  const unknown = Object.keys(node).filter((field) => !known.includes(field));
  if (unknown.length) faults.push(`has unknown fields: ${unknown.join(', ')} (known: ${known.join(', ')})`);
  return node.role === 'app' ? [...faults, ...appFaults(node)] : faults;
}

/** @param {Record<string, any>} node with its defaults */
function appFaults({ workers, workerPort, adminPort, state }) {
  if (!isCount(workers, 256)) return ['workers must be a whole number from 1 to 256'];
  const faults = Object.entries({ workerPort, adminPort })
    .filter(([, port]) => !isCount(port, 65536 - workers))
    .map(([name]) => `${name} must be a port with room for ${workers} workers`);
  if (Math.abs(workerPort - adminPort) < workers) faults.push('workerPort and adminPort overlap');
  if (!['up', 'drain'].includes(state)) faults.push('state must be up or drain');
  return faults;
}

/** @param {Record<string, any>[]} nodes each valid by itself @returns {string[]} conflicts between them */
function disagreements(nodes) {
  const faults = [];
  const names = nodes.map(({ name }) => name);
  for (const name of new Set(names.filter((name, index) => names.indexOf(name) !== index))) {
    faults.push(`${name}: the name is used twice`);
  }
  for (const { name, role, replicaOf } of nodes.filter((node) => node.replicaOf)) {
    const source = nodes.find((node) => node.name === replicaOf);
    if (!source || source.role !== role || source.replicaOf || source.name === name) {
      faults.push(`${name}: replicaOf ${replicaOf} is not a primary ${role} node`);
    }
  }
  for (const role of ['db', 'cache']) {
    const primaries = nodes.filter((node) => node.role === role && !node.replicaOf);
    if (primaries.length > 1) {
      const two = primaries.map(({ name }) => name).join(', ');
      faults.push(`${two}: only one ${role} node may be a primary; give the others replicaOf`);
    }
  }
  return [...faults, ...portClashes(nodes)];
}

/** @param {Record<string, any>[]} nodes @returns {string[]} app nodes that would listen on the same port */
function portClashes(nodes) {
  const seen = new Map();
  const faults = [];
  for (const { name, address, workers, workerPort, adminPort } of nodes.filter(isApp)) {
    for (let index = 0; index < workers; index += 1) {
      for (const port of [workerPort + index, adminPort + index]) {
        const place = `${address} ${port}`;
        if (seen.has(place)) faults.push(`${name}: ${place} is taken by ${seen.get(place)}`);
        seen.set(place, name);
      }
    }
  }
  return faults;
}

/** @param {Record<string, any>} node */
const isApp = ({ role }) => role === 'app';

module.exports = { disagreements, faultsOf };
