'use strict';
const fs = require('node:fs');
const path = require('node:path');

const root = path.resolve(__dirname, '../..');
const read = (/** @type {string} */ file) => fs.readFileSync(path.join(root, file), 'utf8');

test('every npm package is locked with the digest of its archive', () => {
  /** @type {Record<string, { integrity?: string, link?: boolean }>} */
  const { '': _root, ...packages } = JSON.parse(read('package-lock.json')).packages;
  expect(Object.keys(packages).length).toBeGreaterThan(100);
  const bare = Object.entries(packages).filter(([, { integrity }]) => !integrity);
  expect(bare.map(([name]) => name)).toEqual([]);
});

test.each(['etl', 'scripts', 'tests', 'scripts/faults/scanners'])(
  'every Python package of %s/ is locked to one version with the digests of its files',
  (folder) => {
    const text = read(`${folder}/requirements.lock`).replaceAll('\\\n', ' ');
    const entries = text.split('\n').filter((line) => line.trim() && !line.trim().startsWith('#'));
    expect(entries.length).toBeGreaterThan(3);
    expect(entries.filter((line) => !/^[\w.-]+==\S+ .*--hash=sha256:[0-9a-f]{64}/.test(line))).toEqual([]);
  },
);
