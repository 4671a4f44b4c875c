'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { commands } = require('../../../scripts/fleet/deploy/commands');
const { lockDigest, pack, upload } = require('../../../scripts/fleet/deploy/release');
const { execute, sshCommand } = require('../../../scripts/fleet/transport');
const { read, root } = require('../../docs/sources');
const { writeStub } = require('../../helpers/stub');

/** @type {string} */
let folder;
/** @type {string} a clone under umask 077 */
let source;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'release-'));
  source = path.join(folder, 'clone');
  fs.mkdirSync(path.join(source, 'scripts'), { recursive: true, mode: 0o700 });
  fs.writeFileSync(path.join(source, 'scripts/node.sh'), '', { mode: 0o700 });
  fs.writeFileSync(path.join(source, 'package.json'), '{}', { mode: 0o600 });
  fs.writeFileSync(path.join(source, 'package-lock.json'), '{}');
  fs.chmodSync(path.join(source, 'package-lock.json'), 0o666);
  if (process.getuid?.() === 0) fs.chownSync(path.join(source, 'scripts/node.sh'), 1000, 1000);
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

test('a release belongs to root and all may read it, whatever owner and modes the clone has', async () => {
  const { output } = await execute(['tar', '-tv', '--numeric-owner'], { input: pack(source).tar });
  const listed = output.split('\n').map((line) => line.split(/ +/));
  expect(listed.map(([modes, owner, ...rest]) => [modes, owner, rest.at(-1)])).toEqual([
    ['drwxr-xr-x', '0/0', 'scripts/'],
    ['-rwxr-xr-x', '0/0', 'scripts/node.sh'],
    ['-rw-r--r--', '0/0', 'package.json'],
    ['-rw-r--r--', '0/0', 'package-lock.json'],
  ]);
});

test('an incompletely packed release is refused, even if the part that came can be unpacked', async () => {
  writeStub(folder, 'tar', 'PATH=$REAL_PATH tar "$@"\nexit 2');
  const script = `const { upload } = require('./scripts/fleet/deploy/release');
    const { execute } = require('./scripts/fleet/transport');
    const transport = (_, words, { input } = {}) => execute(['cat'], { input });
    upload({ transport }, { name: 'app-1' }, { id: 'new', source: process.argv[1] }).catch(({ message }) => console.log(message));`;
  const { PATH } = process.env;
  const env = { PATH: `${folder}:${PATH}`, REAL_PATH: PATH };
  const { output } = await execute(['env', '-C', root, process.execPath, '-e', script, source], { env });
  expect(output).toBe(`${source} cannot be packed: tar ended with exit status 2`);
});

test.each([
  ['without a New Relic key, a node gets a release without the agent', 1, 'digest', ['--omit=optional']],
  ['with a New Relic key, a node gets a release with the agent', 0, 'digest-newrelic', []],
])('%s', async (_, keyStatus, name, omitted) => {
  /** @type {string[][]} */
  const seen = [];
  const transport = async (/** @type {unknown} */ __, /** @type {string[]} */ words) => {
    seen.push(words);
    const status = words.join() === commands.hasAgentKey().join() ? keyStatus : Number(words[0] === 'test');
    return { status, output: '', printed: '' };
  };
  const node = { name: 'app-1', role: /** @type {const} */ ('app'), address: '10.0.0.1' };
  await upload(/** @type {any} */ ({ transport }), node, { id: 'new', source });
  const npm = seen.find((words) => words.includes('npm')) ?? [];
  expect(npm.filter((word) => word.startsWith('--omit='))).toEqual(['--omit=dev', ...omitted]);
  const set = path.basename(path.dirname(seen.at(-1)?.at(-2) ?? ''));
  expect(set.replace(lockDigest(source), 'digest')).toBe(name);
});

test("workers may enter the folders that root makes, whatever root's umask is", async () => {
  const [id, lock] = ['new', 'digest'];
  const inFolder = (/** @type {string[]} */ words) => words.map((word) => word.replaceAll('/opt/catalog', folder));
  const node = { name: 'app-1', role: /** @type {const} */ ('app'), address: '10.0.0.1' };
  const line = (/** @type {string[]} */ words) => sshCommand(node, words, '/unused').at(-1);
  const strictly = (/** @type {string[]} */ words) => ['sh', '-c', `umask 077; ${line(inFolder(words))}`];
  fs.mkdirSync(path.join(folder, 'node/bin'), { recursive: true });
  writeStub(path.join(folder, 'node/bin'), 'npm', 'mkdir "$5/node_modules"');
  const steps = [
    commands.makeRelease(id),
    commands.makeModules(lock),
    commands.installModules(id, lock, false),
    commands.keepModules(id, lock),
  ];
  for (const words of steps) expect(await execute(strictly(words))).toMatchObject({ status: 0 });
  await execute(strictly(commands.audit()), { input: 'deployed\n' });
  expect(fs.statSync(path.join(folder, 'deploys.log')).mode & 0o777).toBe(0o644);
  const made = ['releases/new', 'modules', 'modules/digest', 'modules/digest/node_modules'];
  for (const dir of made) expect([dir, fs.statSync(path.join(folder, dir)).mode & 0o777]).toEqual([dir, 0o755]);
});

test('root writes the log of deploys where only root may make files', () => {
  const dir = path.dirname(commands.audit().at(-1) ?? '');
  expect(read('scripts/fleet/roles/base/tasks/main.yml')).toContain(`{ path: ${dir}, mode: '0755' }`);
});
