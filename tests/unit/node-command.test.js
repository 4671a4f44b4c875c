'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { changeAlone } = require('../../scripts/lib/fleet-command');
const { readInventory } = require('../../scripts/lib/inventory');
const { root } = require('../../scripts/lib/runtime');

/* npm run node, as it is typed, for a fleet without a balancer: nothing is reached over ssh. */

/** @type {string} */
let file;
beforeEach(() => {
  file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'fleet-')), 'inventory.json');
  const nodes = ['app-1', 'app-2', 'app-3'].map((name, index) => ({
    name,
    role: 'app',
    address: `10.0.0.${31 + index}`,
  }));
  fs.writeFileSync(file, JSON.stringify({ nodes }));
});
afterEach(() => fs.rmSync(path.dirname(file), { recursive: true }));

/** @param {string[]} words */
function type(...words) {
  const script = path.join(root, 'scripts/node.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...words, '--inventory', file], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}
const states = () => readInventory(file).nodes.map((node) => /** @type {any} */ (node).state);

test('a second name is wrong use: it would not be drained', () => {
  expect(type('drain', 'app-2', 'app-3')).toMatchObject({ status: 2, stdout: '' });
  expect(type('drain')).toMatchObject({ status: 2, stdout: '' });
  expect(states()).toEqual(['up', 'up', 'up']);
});

test('that no balancer was told is said', () => {
  const stdout = 'drain app-2: done, but the inventory has no balancer to tell\n';
  expect(type('drain', 'app-2')).toEqual({ status: 0, stdout, stderr: '' });
  expect(states()).toEqual(['up', 'drain', 'up']);
});

test('a change while another command changes the inventory is refused, and goes through afterwards', async () => {
  const meanwhile = await changeAlone(file, async () => type('drain', 'app-2'));
  expect(meanwhile).toMatchObject({ status: 2, stderr: expect.stringContaining('another command changes') });
  expect(states()).toEqual(['up', 'up', 'up']);
  expect(type('drain', 'app-2').status).toBe(0);
});
