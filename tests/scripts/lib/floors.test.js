'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { lackOf } = require('../../../scripts/lib/floors');
const floors = require('../../../scripts/lib/floors.json');
const { root } = require('../../../scripts/lib/runtime');
const { read } = require('../../docs/sources');
const { useFolder } = require('../../helpers/folder');
const { unless } = require('../../helpers/skip');
const { writeStub } = require('../../helpers/stub');

/** @typedef {import('../../../scripts/lib/floors').Program} Program */

const { at } = useFolder('floors');
afterEach(() => jest.restoreAllMocks());

/** By program: a version, and the floor that it does not reach; empty: it lacks nothing. */
const versions = {
  node: { '26.10.0': '26.12.1', '24.22.0': '24.22.1', '26.12.1': '', '28.0.0': '' },
  nginx: { '1.31.3': '1.31.9', '1.30.6': '1.30.7', '1.28.0': '1.31.9', '1.30.10': '', '1.32.0': '' },
  postgres: { 18.6: '18.7', 14.23: '18.7', '15.20': '', '19.0': '' },
  valkey: { '9.1.2': '9.1.3', '10.0.0': '' },
};
test.each(Object.entries(versions))('versions of %s are compared with the floor of their line', (program, floorOf) => {
  for (const [version, floor] of Object.entries(floorOf)) {
    const said = floor ? expect.stringContaining(`${version} lacks the security fixes of ${floor}`) : '';
    expect(lackOf({ program: /** @type {Program} */ (program), version })).toEqual(said);
  }
});

test('the Node that we install is at its floor', () => {
  const { optionalDependencies } = JSON.parse(read('scripts/install/node/package.json'));
  const lacks = Object.values(optionalDependencies).map((version) => lackOf({ program: 'node', version }));
  expect(new Set(lacks)).toEqual(new Set(['']));
});

const hasDpkg = spawnSync('dpkg', ['--version']).status === 0;

unless(!hasDpkg && 'needs dpkg').test("a distribution's package is judged by its own version", () => {
  const real = fs.readFileSync;
  let codename = 'bookworm';
  jest.spyOn(fs, 'readFileSync').mockImplementation((/** @type {any} */ file, /** @type {any} */ how) => {
    return file === '/etc/os-release' ? `VERSION_CODENAME=${codename}\n` : /** @type {any} */ (real(file, how));
  });
  const lack = (/** @type {string} */ version) =>
    lackOf({ program: 'nginx', version: version.split('-')[0], package: { name: 'nginx', version } });
  expect(lack('1.22.1-9+deb12u11')).toBe('');
  expect(lack('1.22.1-9+deb12u9')).toContain('nginx 1.22.1-9+deb12u9 lacks');
  expect(lack('1.28.0-1~bookworm')).toContain('lacks'); // of nginx.org: no backport
  const { PATH } = process.env;
  process.env.PATH = `${at()}:${PATH}`;
  const printed = '  Candidate: 1.24.0-2ubuntu7.9\n *** 1.24.0-2ubuntu7.9 500';
  const policy = (/** @type {string} */ rows) =>
    writeStub(at(), 'apt-cache', `[ "$*" = "policy nginx" ] && echo "${printed}\n${rows}"`);
  const ownRow = '        100 /var/lib/dpkg/status';
  policy(`        500 http://archive/ubuntu noble-security/main\n${ownRow}`);
  codename = 'noble'; // no floor of ours
  expect(lack('1.24.0-2ubuntu7.9')).toBe('');
  expect(lack('1.24.0-2ubuntu7.5')).toContain('lacks');
  policy(ownRow); // apt's lists were removed
  expect(lack('1.24.0-2ubuntu7.9')).toContain('lacks');
  process.env.PATH = PATH;
});

/** @param {string} folder @param {string} version @param {string} [modules] */
const nginxStub = (folder, version, modules = '--with-http_ssl_module --with-http_v2_module') =>
  writeStub(folder, 'nginx', `echo "nginx version: nginx/${version}" >&2; [ "$1" = -v ] || echo "${modules}" >&2`);

test.each([
  ['preferred to the wheel', '1.31.9', undefined, true],
  ['left alone when it lacks fixes', '1.31.8', undefined, false],
  ['left alone when it lacks a module', '1.31.9', '--with-http_ssl_module', false],
])("the system's nginx is %s (%s)", (_, version, modules, isChosen) => {
  const stub = nginxStub(at(), version, modules);
  const program = `console.log(require('./scripts/lib/runtime').binaries().nginx)`;
  const chosen = (/** @type {NodeJS.ProcessEnv} */ env) =>
    spawnSync(process.execPath, ['-e', program], { cwd: root, env, encoding: 'utf8' }).stdout.trim();
  const env = { PATH: `${at()}:${process.env.PATH}` };
  expect(chosen(env) === stub).toBe(isChosen);
  expect(chosen({ ...env, NGINX_BIN: '/mine/nginx' })).toBe('/mine/nginx');
});

test('node.sh names what a node has below the floors', () => {
  const [sbin, postgres] = [at('usr/sbin'), at('usr/lib/postgresql/15/bin')];
  for (const folder of [sbin, postgres]) fs.mkdirSync(folder, { recursive: true });
  nginxStub(sbin, floors.nginx.lines['1.31']);
  writeStub(postgres, 'postgres', 'echo "postgres (PostgreSQL) 15.18"');
  const [line = ''] = /^.*lacksOfNode.*$/m.exec(read('scripts/fleet/node.sh')) ?? [];
  const env = { ...process.env, CATALOG_ROOT: at(), node: process.execPath, here: path.join(root, 'scripts/fleet') };
  const { status, stdout } = spawnSync('bash', ['-euo', 'pipefail', '-c', line], { env, encoding: 'utf8' });
  const said = 'node.sh: PostgreSQL 15.18 lacks the security fixes of 15.20 (minor releases of 2026-11-12)\n';
  expect([status, stdout]).toEqual([0, said]);
});
