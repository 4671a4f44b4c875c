'use strict';
const { execFileSync, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const command = path.join(__dirname, '../../../scripts/generate.js');
/** @type {string} */
let folder;
beforeAll(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'generate-command-'))));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

describe('the command', () => {
  test('shows each option in --help', () => {
    const help = execFileSync(process.execPath, [command, '--help'], { encoding: 'utf8' });
    for (const option of ['OUT', '--products', '--seed', '--dirty']) expect(help).toContain(option);
  });

  test.each([
    [[], 'OUT is missing: type npm run generate -- OUT'],
    [['out'], '--products N'],
    [['out', '--products', '1.5'], '--products 1.5: must be a whole number'],
    [['out', '--products', '10', '--dirty'], 'from 400'],
    [['out', '--products', '10', '--sed', '3'], "unknown option '--sed': did you mean --seed?"],
  ])('refuses %j with one line and status 2', (args, message) => {
    const { status, stderr } = spawnSync(process.execPath, [command, ...args], {
      encoding: 'utf8',
      cwd: folder,
    });
    expect(status).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('reports what it wrote, or why it could not write', () => {
    const out = path.join(folder, 'told');
    const run = (/** @type {string} */ target) =>
      spawnSync(process.execPath, [command, target, '--products', '20'], { encoding: 'utf8' });
    expect(run(out).stderr).toMatch(/^[\d,]+ rows, [\d.]+ MB in .*told, [\d.]+ s\n$/);
    const refused = run(path.join(out, 'product.csv'));
    const line = `cannot write to ${out}/product.csv (${out}/product.csv is not a folder): choose another OUT\n`;
    expect([refused.status, refused.stderr]).toEqual([2, line]);
    for (const target of [path.join(out, 'product.csv/deeper'), '/proc/no/such'])
      expect(run(target).stderr).toMatch(/^cannot write to \/\S+ \([^)]+\): choose another OUT\n$/);
  });
});
