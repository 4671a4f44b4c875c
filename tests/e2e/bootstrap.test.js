'use strict';
const { spawn, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const { runTool } = require('../../scripts/lib/run');
const { waitUntil } = require('../../scripts/lib/wait-until');
const { emptyClone, makeClone } = require('../helpers/clone');
const { linkProgram, writeStub } = require('../helpers/stub');

/** @type {string} */
let clone;
beforeAll(() => {
  // Words that identify failures, but must be ignored in the name of a folder.
  clone = makeClone('clone ensurepip is not available ENOSPC SELF_SIGNED_CERT_IN_CHAIN-');
});
afterEach(() => emptyClone(clone));
afterAll(() => fs.rmSync(clone, { recursive: true }));

/** A new clone with only flock and the given programs on its PATH. @param {Record<string, string>} programs */
function commandWith(programs) {
  const bin = path.join(clone, 'bin');
  fs.mkdirSync(bin);
  linkProgram(bin, 'flock');
  for (const [name, script] of Object.entries(programs)) writeStub(bin, name, script);
  return { command: [process.execPath, path.join(clone, 'scripts/bootstrap.js'), 'start'], env: { PATH: bin } };
}

/** @param {Record<string, string>} programs @param {NodeJS.ProcessEnv} [shell] */
function start(programs, shell) {
  const { command, env } = commandWith(programs);
  return runTool(command, { env: { ...shell, ...env }, keepOutput: true });
}

/** A Python whose venv module fails. @param {string} says */
const failingVenv = (says) => `if [ "$1" = -c ]; then echo 3 12; else echo "${says}" >&2; exit 1; fi`;

describe('on a machine that lacks something', () => {
  test('reports a missing Python with the command that installs it', async () => {
    const { status, output } = await start({});
    expect(status).toBe(1);
    expect(output).toContain('Python 3.11 or later is needed');
    expect(output).toContain('apt-get install python3 python3-venv');
  });

  test('does not use an old Python', async () => {
    const { output } = await start({ python3: 'echo 3 10' });
    expect(output).toContain('Python 3.11 or later is needed');
  });

  test('reports a Python without venv with the package that has it', async () => {
    const { status, output } = await start({ python3: failingVenv('ensurepip is not available') });
    expect(status).toBe(1);
    expect(output).toContain('apt-get install python3-venv');
  });

  test("reports an unknown failure in the tool's words, whatever the name of the folder", async () => {
    const { status, output } = await start({
      python3: failingVenv(`cannot copy ${clone}/.runtime/venv: Input/output error`),
    });
    expect([status, output]).toEqual([1, expect.stringContaining('Input/output error')]);
    expect(output).not.toMatch(/apt-get|is full|authority/);
  });

  test('reports a full disk with its free space', async () => {
    const { output } = await start({ python3: failingVenv('OSError: [Errno 28] No space left on device') });
    expect(output).toMatch(/the disk is full \(\d+ MB free at .*\): make room there/);
    expect(output).not.toContain('apt-get');
  });

  test.each([
    [':', 'a colon'],
    ['*', 'an asterisk'],
    ['\\', 'a backslash'],
    ['$', 'a dollar sign'],
    ['`', 'a backquote'],
    ['"', 'a double quote'],
  ])('reports %s in the path of the clone before anything is installed', async (sign, name) => {
    const there = `${clone}${sign}shop`;
    fs.renameSync(clone, there);
    const command = [process.execPath, path.join(there, 'scripts/bootstrap.js'), 'start'];
    const { status, output } = await runTool(command, { env: { PATH: '/missing' }, keepOutput: true });
    fs.renameSync(there, clone);
    expect([status, output]).toEqual([1, expect.stringContaining(`${there} has ${name} in its name`)]);
    expect(output).toContain('rename or move');
  });

  test('goes on with every other sign in the path of the clone', async () => {
    const there = `${clone}%#?~!^|<>[](){};@,=+'&\t\n\r ü衣`;
    fs.renameSync(clone, there);
    const command = [process.execPath, path.join(there, 'scripts/bootstrap.js'), 'start'];
    const { output } = await runTool(command, { env: { PATH: '/missing' }, keepOutput: true });
    fs.renameSync(there, clone);
    expect(output).toContain('flock is needed'); // as in any other folder
  });

  test('reports a folder that is not writable, with its owner', () => {
    const runtime = path.join(clone, '.runtime');
    fs.mkdirSync(runtime, { mode: 0o555 });
    const isRoot = process.getuid?.() === 0;
    if (isRoot) fs.chownSync(clone, 65534, 65534);
    const other = isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
    const command = [...other, process.execPath, path.join(clone, 'scripts/bootstrap.js'), 'start'];
    const { status, stderr } = spawnSync(command[0], command.slice(1), { encoding: 'utf8' });
    if (isRoot) fs.chownSync(clone, 0, 0);
    const line = `cannot write to ${runtime} (owner uid ${process.getuid?.()}): run as its owner, `;
    expect([status, stderr]).toEqual([1, expect.stringContaining(line)]);
  });
});

describe('commands in a release that serves name the folder to use, and keep its modules', () => {
  test.each([
    ['a deployed one, which shares them with others', '..', ['pm2']],
    ['the one that a node was made with', '.', ['.release', 'pm2']],
  ])('%s', async (_, place, names) => {
    const modules = path.join(clone, place === '.' ? 'node_modules' : 'modules');
    for (const name of names) fs.mkdirSync(path.join(modules, name), { recursive: true });
    if (place !== '.') fs.symlinkSync(modules, path.join(clone, 'node_modules'));
    const { status, output } = await start({});
    expect([status, output]).toEqual([1, expect.stringContaining('is a release that serves; run it in a clone')]);
    expect(fs.readdirSync(modules)).toEqual(names);
  });
});

test.each([
  ['SIGTERM', 'start', 130],
  ['SIGINT', 'start', 130],
  ['SIGINT', 'test', 130],
])('%s during an installation for %s also ends the installer, with status %i', async (signal, name, status) => {
  const pidFile = path.join(clone, 'installer.pid');
  const python3 = `if [ "$1" = -c ]; then echo 3 12; exit; fi\necho $$ > "${pidFile}"\n/bin/sleep 60 & wait`;
  const { command, env } = commandWith({ python3 });
  const bootstrap = spawn(command[0], [command[1], name], { env });
  const exited = once(bootstrap, 'exit');
  expect(await waitUntil(() => fs.existsSync(pidFile) && fs.readFileSync(pidFile, 'utf8') !== '', 10_000)).toBe(true);
  bootstrap.kill(/** @type {NodeJS.Signals} */ (signal));
  bootstrap.kill(/** @type {NodeJS.Signals} */ (signal)); // both npm and a terminal send it
  expect(await exited).toEqual([status, null]);
  const isGone = () => {
    try {
      return !process.kill(-Number(fs.readFileSync(pidFile, 'utf8')), 0); // its whole group
    } catch {
      return true;
    }
  };
  expect(await waitUntil(isGone, 5000)).toBe(true);
});
