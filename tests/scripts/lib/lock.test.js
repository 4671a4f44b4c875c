'use strict';
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const { lockFile, withInstallLock } = require('../../../scripts/lib/lock');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { useFolder } = require('../../helpers/folder');

const { at, write } = useFolder('lock');

test('a lock is held until the last process that inherited it has ended', async () => {
  const fd = Number(lockFile(at('a.lock')));
  const heir = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore', fd] });
  await once(heir, 'spawn');
  fs.closeSync(fd);
  expect(lockFile(at('a.lock'))).toBeNull();
  heir.stdin?.end();
  await once(heir, 'exit');
  expect(lockFile(at('a.lock'))).toEqual(expect.any(Number));
});

test('a lock of a file that was removed keeps no one from the next one', () => {
  lockFile(at('a.lock'));
  fs.rmSync(at('a.lock'));
  expect(lockFile(at('a.lock'))).toEqual(expect.any(Number));
});

test.each([
  ['a machine without flock reads which package has it', '', /install util-linux/],
  [
    'a disk without locks is named',
    'No locks available',
    /^cannot lock \/.*a\.lock \(No locks available\): use a disk/,
  ],
])('%s', (_, said, line) => {
  const { PATH } = process.env;
  if (said) write('flock', `#!/bin/sh\necho "${said}" >&2; exit 71`, 0o755);
  process.env.PATH = at();
  expect(() => lockFile(at('a.lock'))).toThrow(line);
  process.env.PATH = PATH;
});

test('two installations take turns, and one that died blocks no other', async () => {
  const program = `require(process.argv[1]).lockFile(process.argv[2]); console.log('has it'); setInterval(() => {}, 1000);`;
  const words = ['-e', program, require.resolve('../../../scripts/lib/lock'), at('install.lock')];
  const first = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(first.stdout, 'data');
  /** @type {string[]} */
  const said = [];
  const say = (/** @type {string} */ line) => said.push(line);
  const second = withInstallLock(at(), say, async () => said.push('works'));
  await waitUntil(() => said.length > 0, 5000);
  expect(said).toEqual(['waiting for another installation']);
  const halt = new AbortController();
  const nothing = async () => {};
  const impatient = withInstallLock(at(), () => halt.abort(), nothing, halt.signal);
  await expect(impatient).rejects.toThrow('aborted');
  first.kill('SIGKILL');
  await second;
  expect(said.at(-1)).toBe('works');
  expect(lockFile(at('install.lock'))).not.toBeNull();
});
