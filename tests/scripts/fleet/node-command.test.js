'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { changeFleet, withInventoryLock } = require('../../../scripts/fleet/fleet-command');
const { readInventory } = require('../../../scripts/fleet/inventory');
const { root } = require('../../../scripts/lib/runtime');

/* npm run node as it is typed, for a fleet without a balancer: nothing is sent over ssh. */

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

test('refuses a second name, since it would not be drained', () => {
  expect(type('drain', 'app-2', 'app-3')).toMatchObject({ status: 2, stdout: '' });
  expect(type('drain')).toMatchObject({ status: 2, stdout: '' });
  expect(states()).toEqual(['up', 'up', 'up']);
});

test('reports that the inventory has no balancer', () => {
  const stdout = 'drain app-2: done, but the inventory has no balancer\n';
  expect(type('drain', 'app-2')).toEqual({ status: 0, stdout, stderr: '' });
  expect(states()).toEqual(['up', 'drain', 'up']);
});

test('refuses a change while another command changes the inventory, and accepts it afterwards', async () => {
  const meanwhile = await withInventoryLock(file, async () => type('drain', 'app-2'));
  expect(meanwhile).toMatchObject({ status: 2, stderr: expect.stringContaining('another command changes') });
  expect(states()).toEqual(['up', 'up', 'up']);
  expect(type('drain', 'app-2').status).toBe(0);
});

describe('the inventory of a fleet that is changed', () => {
  /** @param {() => void} [meanwhile] */
  function change(meanwhile = () => {}) {
    const next = { nodes: readInventory(file).nodes.slice(1) };
    const fleet = jest.fn(async () => meanwhile());
    return { done: changeFleet(file, next, fleet), fleet };
  }

  test('is written to a draft before the change, and renamed after it', async () => {
    const { done } = change(() => expect([states(), fs.existsSync(`${file}.new`)]).toEqual([['up', 'up', 'up'], true]));
    await done;
    expect(states()).toEqual(['up', 'up']);
  });

  test('leaves the fleet unchanged when it cannot be written', async () => {
    fs.mkdirSync(`${file}.new`);
    const { done, fleet } = change();
    await expect(done).rejects.toThrow(/^nothing was changed, .* inventory cannot be written: EISDIR/);
    expect(fleet).not.toHaveBeenCalled();
    expect(type('drain', 'app-2')).toMatchObject({ status: 1, stderr: expect.stringContaining('nothing was changed') });
  });

  test('stays as it was when the fleet refuses', async () => {
    const { done } = change(() => {
      throw new Error('a balancer is away');
    });
    await expect(done).rejects.toThrow(/^a balancer is away$/);
    expect(fs.readdirSync(path.dirname(file))).toEqual(['inventory.json']);
    expect(states()).toEqual(['up', 'up', 'up']);
  });

  test('is reported as out of date when the draft cannot be renamed', async () => {
    const { done } = change(() => {
      fs.rmSync(file);
      fs.mkdirSync(file);
    });
    await expect(done).rejects.toThrow(/^the fleet was changed, but its inventory was not: .*inventory.json.new/);
  });
});
