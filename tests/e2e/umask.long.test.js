'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { memoryFolder } = require('../../scripts/local/nginx');
const { python, root } = require('../../scripts/lib/runtime');
const { describeState } = require('../../scripts/local/state');
const { request } = require('../helpers/http');
const { startStack } = require('../helpers/stack');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'umask-'));
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

/** @param {string} file @returns {string} */
const modeOf = (file) => (fs.lstatSync(file).mode & 0o7777).toString(8);

/** @param {string} folder @returns {[string, string][]} each path below it, and its mode */
const modesIn = (folder) =>
  fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => [name, modeOf(path.join(folder, name))]);

/** @param {string} state @returns {string} the folder of the nginx cache of a stack */
const replies = (state) => path.join(memoryFolder(state) ?? describeState(state).nginx, 'cache');

/**
 * @param {string} umask of the shell that starts a stack
 * @returns {Promise<Record<string, string>>} the modes of the files that it makes
 */
async function modesOfStack(umask) {
  const stack = await startStack({ script: ['bootstrap.js', 'start'], shell: `umask ${umask}` });
  try {
    // A reply is cached after eight requests; a long list needs a temporary file of nginx.
    for (const target of [...Array(9).fill('/products/1'), '/products?count=400'])
      expect([umask, (await request(stack.url, { path: target })).status]).toEqual([umask, 200]);
    expect(fs.readdirSync(replies(stack.state))).not.toEqual([]);
    return Object.fromEntries([
      ...modesIn(stack.state).map(([name, mode]) => [
        name.replaceAll(String(stack.ports['worker-port']), 'PORT'),
        mode,
      ]),
    ]);
  } finally {
    expect(await stack.stop()).toBe(0);
  }
}

test('a stack serves and makes files of the same modes under every umask', async () => {
  const open = await modesOfStack('000');
  expect(open).toMatchObject({ nginx: '711', pgdata: '700', logs: '700', run: '700' });
  expect(open).toMatchObject({ 'secrets.json': '600', 'stack.json': '600', 'logs/worker-PORT.log': '644' });
  // Only names in common: PostgreSQL and the cache also make files with changing numbers as names.
  const closed = Object.entries(await modesOfStack('0777')).filter(([name]) => name in open);
  expect(closed.filter(([name, mode]) => open[name] !== mode)).toEqual([]);
  expect(closed.length).toBeGreaterThan(50);
}, 180_000);

test('generator and loader write files of the same modes under every umask', () => {
  for (const umask of ['000', '0777']) {
    const csv = path.join(dir, umask, 'csv');
    const rejects = path.join(dir, umask, 'rejects');
    const under = (/** @type {string[]} */ ...words) =>
      execFileSync('sh', ['-c', `umask ${umask}; exec "$@"`, 'sh', ...words], { cwd: root, stdio: 'ignore' });
    under(process.execPath, 'scripts/bootstrap.js', 'generate', csv, '--products', '400', '--dirty');
    under(python, '-m', 'etl', 'load', csv, '--dry-run', '--max-reject', '100', '--rejects', rejects);
    for (const folder of [csv, rejects]) {
      const files = modesIn(folder).map(([, mode]) => mode);
      expect([umask, modeOf(folder), [...new Set(files)]]).toEqual([umask, '755', ['644']]);
    }
  }
}, 120_000);
