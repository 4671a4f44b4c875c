'use strict';
const path = require('node:path');
const { envExample } = require('../../scripts/local/env-example');
const { testedMajors } = require('../../scripts/lib/runtime');
const { read, trackedFiles } = require('./sources');

test('.env.example has the current settings (npm run format writes it)', () => {
  expect(read('.env.example')).toBe(envExample());
});

test('.nvmrc names the first tested major, which an installation also brings', () => {
  const [first] = testedMajors;
  expect(read('.nvmrc').trim()).toBe(String(first));
  const { optionalDependencies } = JSON.parse(read('scripts/install/node/package.json'));
  for (const version of Object.values(optionalDependencies)) expect(version).toMatch(new RegExp(`^${first}\\.`));
});

test('the CI workflow runs the commands of .ci/run', () => {
  const steps = read('.github/workflows/ci.yml').match(/(?<=- run: ).*/g);
  expect(steps).toEqual(read('.ci/run').match(/^npm .*/gm));
});

test('the update bot watches every folder with a lock file', () => {
  const bot = read('.github/dependabot.yml');
  const locks = trackedFiles().filter((file) => /(package-lock\.json|requirements\.lock)$/.test(file));
  const folders = locks.map((file) => path.posix.join('/', path.dirname(file)));
  expect(folders).toContain('/scripts/install/node');
  expect(folders.filter((folder) => !bot.includes(`'${folder}'`) && !bot.includes(`directory: ${folder}\n`))).toEqual(
    [],
  );
});
