'use strict';
const { scripts } = require('../../../package.json');
const { read, trackedFiles } = require('../../docs/sources');

test.each([
  ['package-lock.json', 100],
  ['scripts/install/node/package-lock.json', 1],
])('every npm package in %s is locked with the digest of its archive', (file, least) => {
  /** @type {Record<string, { integrity?: string, link?: boolean }>} */
  const { '': _root, ...packages } = JSON.parse(read(file)).packages;
  expect(Object.keys(packages).length).toBeGreaterThan(least);
  const bare = Object.entries(packages).filter(([, { integrity }]) => !integrity);
  expect(bare.map(([name]) => name)).toEqual([]);
});

test.each(['etl', 'scripts', 'scripts/fleet', 'tests'])(
  'every Python package of %s/ is locked to one version with the digests of its files',
  (folder) => {
    const text = read(`${folder}/requirements.lock`).replaceAll('\\\n', ' ');
    const entries = text.split('\n').filter((line) => line.trim() && !line.trim().startsWith('#'));
    expect(entries).not.toEqual([]);
    expect(entries.filter((line) => !/^[\w.-]+==\S+ .*--hash=sha256:[0-9a-f]{64}/.test(line))).toEqual([]);
  },
);

test.each(Object.entries(scripts))(
  'a signal to npm reaches "npm run %s": exec replaces the shell between them',
  (_, script) => {
    expect(script).toMatch(/^exec node /);
  },
);

test('every package that the code requires is declared', () => {
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read('package.json'));
  const declared = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
  const files = trackedFiles().filter((file) => /^(server|nginx|scripts|tests)\/.*\.js$|^[a-z.]+\.js$/.test(file));
  const required = files.flatMap((file) =>
    [...read(file).matchAll(/\brequire(?:\.resolve)?\(['`]((?:@[\w-]+\/)?[\w-]+)[^:'`]*['`]\)/g)].map(
      (match) => match[1],
    ),
  );
  expect(required).toContain('express');
  expect([...new Set(required)].filter((name) => !declared.includes(name))).toEqual([]);
});
