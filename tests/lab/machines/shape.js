'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { root: repository } = require('../../../scripts/lib/runtime');
const { load } = require('./ask');

/* The example inventories, and the fleets that they make. They are read line by line, as they are written. */

/** On the administrator's machine. */
const inventory = path.join(repository, 'inventory/hosts.yml');

/**
 * @typedef {object} Shape
 * @property {string} text of the inventory
 * @property {Record<string, string>} addresses by the machines' names
 * @property {Record<string, string[]>} groups names of machines by role
 * @property {string} address that clients use: of the balancer, or what keepalived moves
 */

/** @param {'three' | 'five' | 'nine'} size @returns {Shape} */
function shapeOf(size) {
  const text = fs.readFileSync(path.join(__dirname, `../../../scripts/fleet/inventory.${size}.yml`), 'utf8');
  const found = (/** @type {RegExp} */ line) => Array.from(text.matchAll(line), ([, name, value]) => [name, value]);
  const addresses = Object.fromEntries(found(/^ {4}([a-z]+-\d): \{ ansible_host: ([\d.]+) \}$/gm));
  const groups = Object.fromEntries(
    found(/^ {4}([a-z]+): \{ hosts: \{ (.*) \} \}$/gm).map(([name, hosts]) => [name, hosts.match(/[a-z]+-\d/g) ?? []]),
  );
  const [[, address] = ['', addresses[groups.lb[0]]]] = found(/^ {4}(virtual_address): ([\d.]+)\/\d+$/gm);
  return { text, addresses, groups, address };
}

/** As an administrator does, with products. @param {import('./use-machines').Fleet} fleet @param {Shape} shape */
async function makeFleet({ admin, machines, release }, { text, groups }) {
  await admin.must('admin', 'mkdir -p inventory');
  admin.write(inventory, text);
  await admin.must('admin', `npm run -s fleet -- secrets && npm run -s fleet -- site -e release_file=${release}`);
  await machines[groups.db[0]].must(load(2000));
}

module.exports = { inventory, makeFleet, shapeOf };
