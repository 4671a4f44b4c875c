'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { openShell } = require('../../helpers/command-lines');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'generate-command-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const shell = openShell();
afterAll(() => shell.close());

test('npm run generate reports what it wrote', async () => {
  const { status, stderr } = await shell.type('generate.js', [path.join(folder, 'out'), '--products', '20']);
  expect([status, stderr]).toEqual([0, expect.stringMatching(/^[\d,]+ rows, [\d.]+ MB in .*out, [\d.]+ s\n$/)]);
});

test.each(['file', 'file/deeper', '/proc/no/such'])('npm run generate says why it cannot write to %s', async (out) => {
  fs.writeFileSync(path.join(folder, 'file'), '');
  const { status, stderr } = await shell.type('generate.js', [path.resolve(folder, out), '--products', '20']);
  const line = /^cannot write to \/\S+ \([^)]+\): choose another OUT\n$/;
  expect([status, stderr]).toEqual([2, expect.stringMatching(line)]);
});
