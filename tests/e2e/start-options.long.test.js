'use strict';
const { execFileSync, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { root } = require('../../scripts/lib/runtime');
const { waitUntil } = require('../../scripts/lib/wait-until');
const { request } = require('../helpers/http');
const { freePorts, newState, runStart } = require('../helpers/stack');

/** @type {import('../helpers/stack').Started[]} */
const begun = [];
/** @type {string} */
let folder;
beforeAll(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'start options '))));
afterEach(async () => {
  for (const { child } of begun) child.kill('SIGTERM');
  await Promise.all(begun.splice(0).map(({ ended }) => ended));
}, 60_000);
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** @param {string[]} words */
function start(words) {
  const up = runStart(words);
  begun.push(up);
  return up;
}

/** @param {import('../helpers/stack').Started} up @returns {Promise<string[]>} the addresses that it prints */
async function readyAt(up) {
  let over = false;
  up.ended.then(() => (over = true));
  const urls = () => up.output().match(/(?<=^ready )\S+$/gm) ?? [];
  await waitUntil(() => over || urls().length > 0, 120_000);
  if (urls().length === 0) throw new Error(up.output());
  return urls();
}

/** @param {string} script @param {string[]} words */
const command = (script, ...words) =>
  spawnSync(process.execPath, [path.join(root, 'scripts', script), ...words], { encoding: 'utf8' });

test('two stacks that start at the same moment take ports of their own', async () => {
  const states = [newState(), newState()];
  const ups = states.map((state) => start(['--state', state, '--workers', '1', '--products', '50']));
  const [[one], [other]] = await Promise.all(ups.map(readyAt));
  expect(one).not.toBe(other);
  for (const [index, url] of [one, other].entries()) {
    expect((await request(url, { path: '/products/1' })).status).toBe(200);
    const { status, stdout } = command('status.js', '--state', states[index]);
    expect([status, stdout]).toEqual([0, expect.stringContaining(`ok  ${url}/products`)]);
  }
  // The second one cannot have all default ports.
  expect(ups.map((up) => up.output()).join()).toMatch(/port \d+ is .*: taking \d+ \(--[a-z-]+ P names another\)/);
}, 240_000);

test('a failed load ends the start with a command that works, also for a folder with a space', async () => {
  const data = path.join(folder, 'my csv');
  execFileSync(process.execPath, [path.join(root, 'scripts/generate'), data, '--products', '50']);
  fs.appendFileSync(path.join(data, 'related.csv'), 'x,y,z\n'.repeat(20));
  const ports = Object.entries(await freePorts()).flatMap(([name, port]) => [`--${name}`, `${port}`]);
  const failed = start(['--state', newState(), '--workers', '1', ...ports, '--data', data]);
  expect(await failed.ended).toBe(1);
  const last = String(failed.output().trimEnd().split('\n').at(-1));
  expect(last).toMatch(/^failed: related\.csv: .* rejected, more than 1 %/);
  const [, words] = /run `npm start -- (.*)` again$/.exec(last) ?? [];
  expect(words).toContain(`--data '${data}' -- --max-reject `);
  const typed = execFileSync('sh', ['-c', `printf '%s\\n' ${words}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n');
  const [url] = await readyAt(start(typed));
  expect((await request(url, { path: '/products/1' })).status).toBe(200);
}, 240_000);
