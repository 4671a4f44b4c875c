'use strict';
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { lockFile } = require('../../../scripts/lib/lock');

/** @type {string} */
let file;
beforeEach(() => (file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'lock-')), 'a.lock')));
afterEach(() => fs.rmSync(path.dirname(file), { recursive: true }));

test('a lock is held until the last process that inherited it has ended', async () => {
  const fd = Number(lockFile(file));
  const heir = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore', fd] });
  await once(heir, 'spawn');
  fs.closeSync(fd);
  expect(lockFile(file)).toBeNull();
  heir.stdin?.end();
  await once(heir, 'exit');
  expect(lockFile(file)).toEqual(expect.any(Number));
});

test('a lock of a file that was removed keeps no one from the next one', () => {
  lockFile(file);
  fs.rmSync(file);
  expect(lockFile(file)).toEqual(expect.any(Number));
});

test('a machine without flock reads which package has it', () => {
  const { PATH } = process.env;
  process.env.PATH = path.dirname(file);
  expect(() => lockFile(file)).toThrow('install util-linux');
  process.env.PATH = PATH;
});

test('a disk without locks is named', () => {
  const { PATH } = process.env;
  const stub = path.join(path.dirname(file), 'flock');
  fs.writeFileSync(stub, '#!/bin/sh\necho "flock: 3: No locks available" >&2; exit 71', { mode: 0o755 });
  process.env.PATH = `${path.dirname(file)}:${PATH}`;
  expect(() => lockFile(file)).toThrow(`cannot lock ${file} (flock: 3: No locks available)`);
  process.env.PATH = PATH;
});
