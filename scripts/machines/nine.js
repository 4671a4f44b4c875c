'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { root: repository } = require('../lib/runtime');
const { load } = require('./ask');

/* The example inventory of nine machines, and the fleet that it makes. It is read line by line, as it is written. */

const file = path.join(__dirname, '../fleet/inventory.nine.yml');
const text = fs.readFileSync(file, 'utf8');

/** @param {RegExp} line with a name and a value @returns {[string, string][]} */
const found = (line) => Array.from(text.matchAll(line), ([, name, value]) => [name, value]);

const addresses = Object.fromEntries(found(/^ {4}([a-z]+-\d): \{ ansible_host: ([\d.]+) \}$/gm));
const groups = Object.fromEntries(
  found(/^ {4}([a-z]+): \{ hosts: \{ (.*) \} \}$/gm).map(([name, hosts]) => [name, hosts.match(/[a-z]+-\d/g) ?? []]),
);
/** The public address. */
const [[, address]] = found(/^ {4}(virtual_address): ([\d.]+)\/\d+$/gm);

/**
 * @param {import('./admin-machine').Admin} admin @param {Record<string, Pick<import('./machine').Machine, 'must'>>} machines
 * @param {string} release file of the one that they get
 */
function makeNine(admin, machines, release) {
  admin.must('admin', 'mkdir -p inventory');
  admin.write(path.join(repository, 'inventory/hosts.yml'), text);
  admin.must('admin', `npm run -s fleet -- secrets && npm run -s fleet -- site -e release_file=${release}`);
  machines['db-1'].must(load(2000));
}

module.exports = { address, addresses, groups, makeNine };
