'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const { serverFailure } = require('../../../scripts/local/pgdata');
const { root } = require('../../../scripts/lib/runtime');
const { useFolder } = require('../../helpers/folder');
const { unless } = require('../../helpers/skip');

/** Starts a server on the folder, sends a query and stops it. */
const program = `const { startPostgres } = require('./scripts/local/postgres');
const { withClient } = require('./scripts/local/roles');
startPostgres({ dir: process.argv[1] }).then(async (server) => {
  const { rows } = await withClient(server.superuserDsn('postgres'), (client) => client.query('SELECT 42 AS answer'));
  const uid = require('node:fs').statSync('/proc/' + server.pid).uid;
  await server.stop();
  console.log(JSON.stringify({ answer: rows[0].answer, uid }));
}).catch((error) => { console.error(error.message); process.exitCode = 1; });`;

const nobody = Number(/^nobody:[^:]*:(\d+):/m.exec(fs.readFileSync('/etc/passwd', 'utf8'))?.[1]);
const isRoot = process.getuid?.() === 0;
const { describe: asRoot } = unless(!isRoot && 'needs root');

asRoot('PostgreSQL started by root', () => {
  const { at, write } = useFolder('account');

  /** @param {Record<string, string>} stubs for tools of this machine */
  function start(stubs) {
    fs.rmSync(at('bin'), { recursive: true, force: true });
    for (const [name, script] of Object.entries(stubs)) write(`bin/${name}`, `#!/bin/sh\n${script}\n`, 0o755);
    const env = { PATH: `${at('bin')}:${process.env.PATH}`, TMPDIR: process.env.TMPDIR };
    const words = ['-e', program, at('state')];
    const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, env, encoding: 'utf8' });
    return { served: stdout && JSON.parse(stdout), said: stderr.trim() };
  }
  // The message of util-linux if no user namespace is allowed: this is not a full disk.
  const forbidden = { unshare: 'echo "unshare: unshare failed: No space left on device" >&2; exit 1' };

  test('keeps its data under another account where root may make no user namespace', () => {
    expect(start({})).toEqual({ served: { answer: 42, uid: 0 }, said: '' });
    expect(start(forbidden)).toEqual({ served: { answer: 42, uid: nobody }, said: '' });
    expect(fs.statSync(at('state/pgdata')).uid).toBe(nobody);
    expect(start({})).toEqual({ served: { answer: 42, uid: 0 }, said: '' });
  }, 120_000);

  test('also makes a new database there, in a folder that is closed to that account', () => {
    fs.chmodSync(at(), 0o700);
    expect(start(forbidden)).toEqual({ served: { answer: 42, uid: nobody }, said: '' });
  }, 60_000);

  test('reports what to do where root cannot become another account', () => {
    const { said } = start({ ...forbidden, setpriv: 'exit 1' });
    expect(said).toContain('start as an ordinary user (in a container: docker run --user 1000:1000)');
    expect(said).not.toContain('disk');
  });
});

test("recognises a full disk by its cause, not by words in a folder's name", () => {
  const places = { dir: '/tmp', socketDir: '/tmp/run' };
  const full = 'initdb: error: could not write to file "/tmp/x": No space left on device';
  expect(serverFailure(full, places).message).toMatch(/the disk is full \(\d+ MB free at \/tmp/);
  const named = { dir: '/srv/ENOSPC', socketDir: '/run' };
  expect(serverFailure('FATAL: could not open "/srv/ENOSPC/pgdata"', named).message).toContain('see its log');
});
