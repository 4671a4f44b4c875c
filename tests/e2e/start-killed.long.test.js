'use strict';
const fs = require('node:fs');
const { waitUntil } = require('../../scripts/lib/wait-until');
const { request } = require('../helpers/http');
const { freePorts, newState, processesOf, runStart, startStack } = require('../helpers/stack');

/** @type {import('../helpers/stack').Stack[]} */
const begun = [];
afterEach(async () => {
  for (const stack of begun.splice(0)) await stack.stop();
}, 60_000);

/** @param {Parameters<typeof startStack>[0]} [options] */
async function started(options) {
  const stack = await startStack(options);
  begun.push(stack);
  return stack;
}

/** @param {string} url */
const answers = async (url) => (await request(url, { path: '/products/1' })).status === 200;

test('npm start stops what a killed start left behind', async () => {
  const stack = await started();
  stack.up.child.kill('SIGKILL');
  await stack.up.ended;
  expect(processesOf(stack.state).length).toBeGreaterThan(0);
  const again = await started({ state: stack.state });
  expect(again.up.output()).toMatch(/an earlier start left \d+ processes running/);
  expect(await answers(again.url)).toBe(true);
  expect(await again.stop()).toBe(0);
  expect(processesOf(stack.state)).toEqual([]);
}, 180_000);

test('a stack whose folder is removed reports that and stops', async () => {
  const stack = await started();
  fs.rmSync(stack.state, { recursive: true, force: true });
  expect(await stack.up.ended).toBe(1);
  expect(stack.up.output()).toContain(`${stack.state} was removed while the stack ran`);
  expect(processesOf(stack.state)).toEqual([]);
}, 180_000);

test('npm start finds what a killed start left behind even when its folder was removed', async () => {
  const stack = await started();
  stack.up.child.kill('SIGKILL');
  await stack.up.ended;
  fs.rmSync(stack.state, { recursive: true, force: true });
  const again = await started({ state: stack.state });
  expect(again.up.output()).toMatch(/an earlier start left \d+ processes running/);
  expect(await answers(again.url)).toBe(true);
  expect(await again.stop()).toBe(0);
  expect(processesOf(stack.state)).toEqual([]);
}, 180_000);

test.each([
  ['initdb', 'postgres: starting'],
  ['the load', 'catalog: loading'],
  ['PM2', 'pm2: starting'],
])(
  'the next start repairs one that a signal or a kill ended during %s',
  async (_, phase) => {
    const state = newState();
    const ports = await freePorts();
    const words = Object.entries(ports).flatMap(([name, port]) => [`--${name}`, `${port}`]);
    for (const [signal, end] of /** @type {const} */ ([
      ['SIGINT', 130],
      ['SIGKILL', 'SIGKILL'],
    ])) {
      const up = runStart(['--state', state, '--workers', '2', '--products', '500', '--fresh', ...words]);
      expect(await waitUntil(() => up.output().includes(phase), 60_000)).toBe(true);
      up.child.kill(signal);
      expect(await up.ended).toBe(end);
    }
    const again = await started({ state });
    expect(await answers(again.url)).toBe(true);
    expect(await again.stop()).toBe(0);
    expect(processesOf(state)).toEqual([]);
  },
  240_000,
);
