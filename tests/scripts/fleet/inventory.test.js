'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {
  appNodes,
  nodeNamed,
  parseInventory,
  primaryOf,
  readInventory,
  replicasOf,
  workersOf,
  writeInventory,
} = require('../../../scripts/fleet/inventory');
const { root } = require('../../../scripts/lib/runtime');

const example = path.join(root, 'scripts/inventory.example.json');

/** @param {object[]} nodes */
const parse = (...nodes) => parseInventory(JSON.stringify({ nodes }), 'fleet.json');
const app = { name: 'app-1', role: 'app', address: '10.0.0.31' };
const db = { name: 'db-1', role: 'db', address: '10.0.0.20' };

test('the example is a valid inventory with every role and its replicas', () => {
  const inventory = readInventory(example);
  expect(new Set(inventory.nodes.map(({ role }) => role))).toEqual(new Set(['lb', 'db', 'cache', 'app']));
  expect(primaryOf(inventory, 'db')?.name).toBe('db-1');
  expect(replicasOf(inventory, 'db').map(({ name }) => name)).toEqual(['db-2']);
});

test('an app node may omit fields with defaults, and its workers have neighbouring ports', () => {
  const [node] = appNodes(parse(app));
  expect(node.state).toBe('up');
  expect(workersOf(node)).toEqual([
    { address: '10.0.0.31', port: 3030, adminPort: 9030 },
    { address: '10.0.0.31', port: 3031, adminPort: 9031 },
  ]);
});

test.each([
  ['a name with a capital', [{ ...app, name: 'App' }], 'name must be lower-case'],
  ['an unknown role', [{ ...app, role: 'web' }], 'role must be one of lb, db, cache, app'],
  ['a host name', [{ ...app, address: 'app.example' }], 'address must be an IPv4 address'],
  ['IPv6', [{ ...app, address: 'fd00::1' }], 'address must be an IPv4 address'],
  ['a field that is misspelt', [{ ...app, wokers: 3 }], 'has unknown fields: wokers'],
  ['workers on a database', [{ ...db, workers: 2 }], 'has unknown fields: workers'],
  ['no worker', [{ ...app, workers: 0 }], 'workers must be a whole number from 1'],
  ['ports past the end', [{ ...app, workerPort: 65535 }], 'workerPort must be a port with room'],
  ['overlapping ports', [{ ...app, adminPort: 3031 }], 'workerPort and adminPort overlap'],
  ['an unknown state', [{ ...app, state: 'down' }], 'state must be up or drain'],
  ['a name twice', [app, { ...app, address: '10.0.0.32' }], 'app-1: the name is used twice'],
  ['a place twice', [app, { ...app, name: 'app-2' }], 'app-2: 10.0.0.31 3030 is taken by app-1'],
  ['two primaries', [db, { ...db, name: 'db-2' }], 'only one db node may be a primary'],
  ['a replica of an unknown node', [db, { ...db, name: 'db-2', replicaOf: 'x' }], 'replicaOf x is not a primary db'],
  ['a replica of itself', [{ ...db, replicaOf: 'db-1' }], 'replicaOf db-1 is not a primary db'],
])('refuses %s and names its node', (_, nodes, message) => {
  expect(() => parse(...nodes)).toThrow(message);
  expect(() => parse(...nodes)).toThrow('fleet.json is not an inventory');
});

test('reports all validation errors at once', () => {
  expect(() => parse({ ...app, state: 'x' }, { ...db, address: 'y' })).toThrow(/app-1: state[\s\S]*db-1: address/);
});

test.each([
  ['{', 'is not JSON'],
  ['[]', 'must be {"nodes": […]}'],
  ['null', 'must be {"nodes": […]}'],
  ['{"nodes":[null]}', 'node 1: name must be'],
])('refuses %s with the next step', (text, message) => {
  expect(() => parseInventory(text, 'fleet.json')).toThrow(message);
});

test('reports a missing file or an unknown name in one line', () => {
  expect(() => readInventory('/nowhere/fleet.json')).toThrow('copy scripts/inventory.example.json');
  expect(() => nodeNamed(parse(app), 'app-9')).toThrow('there is no node app-9');
});

test('writes only inventories that it can read again', () => {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'inventory-')), 'fleet.json');
  const inventory = readInventory(example);
  writeInventory(file, inventory);
  expect(readInventory(file)).toEqual(inventory);
  const broken = { nodes: [{ ...inventory.nodes[0], role: /** @type {any} */ ('web') }] };
  expect(() => writeInventory(file, broken)).toThrow('role must be one of');
  expect(readInventory(file)).toEqual(inventory);
});
