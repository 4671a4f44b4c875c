'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { notAsRoot, startPostgres } = require('../../scripts/lib/postgres');
const { spawnDaemon, stopPid, waitUntil } = require('../../scripts/lib/process');
const { withClient } = require('../../scripts/lib/roles');
const { binaries } = require('../../scripts/lib/runtime');
const { openState } = require('../../scripts/lib/state');
const { changeDsn } = require('./servers');

const run = promisify(execFile);
const streaming = { wal_level: 'replica', max_wal_senders: '4', hot_standby: 'on' };
const throwAway = { fsync: 'off', shared_buffers: '32MB', autovacuum: 'off' };
const startTimeoutMs = 30_000;

/** @param {string} dsn @param {string} socketDir */
const atSocket = (dsn, socketDir) =>
  dsn.replace(/host=[^&]*/, `host=${encodeURIComponent(socketDir)}`);

/**
 * A primary and a replica that streams from it, both only for this test file.
 * @returns {Promise<{ primary: import('../../scripts/lib/postgres').Postgres, replica: Replica, stop: () => Promise<void> }>}
 */
async function startPair() {
  const base = fs.mkdtempSync(path.join(os.tmpdir(), 'pair-'));
  const settings = { ...throwAway, ...streaming };
  const primary = await startPostgres({ dir: path.join(base, 'primary'), settings });
  const replica = await startReplica(primary, path.join(base, 'replica'));
  const stop = async () => {
    await Promise.all([primary.stop('immediate'), replica.stop()]);
    fs.rmSync(base, { recursive: true, force: true });
  };
  return { primary, replica, stop };
}

/**
 * @typedef {object} Replica
 * @property {(dsn: string) => string} at the same database and role on the replica
 * @property {() => Promise<void>} promote
 * @property {() => Promise<void>} stop
 * @property {number} pid
 */

/** @param {import('../../scripts/lib/postgres').Postgres} primary @param {string} dir @returns {Promise<Replica>} */
async function startReplica(primary, dir) {
  const state = openState(dir);
  const bin = binaries().postgresBin;
  const source = primary.superuserDsn('postgres');
  // The password goes by the environment; -R writes it into the replica's own configuration, mode 0600.
  const [program, ...words] = notAsRoot([
    ...[path.join(bin, 'pg_basebackup'), '-D', state.pgdata, '-R', '-X', 'stream', '-c', 'fast'],
    ...['-h', primary.socketDir, '-U', 'postgres'],
  ]);
  const password = /:\/\/[^:]*:([^@]*)@/.exec(source)?.[1];
  await run(program, words, { env: { ...process.env, PGPASSWORD: password } });
  fs.appendFileSync(
    path.join(state.pgdata, 'postgresql.conf'),
    `unix_socket_directories = '${state.run}'\n`,
  );
  const server = await spawnDaemon(notAsRoot([path.join(bin, 'postgres'), '-D', state.pgdata]), {
    log: path.join(state.logs, 'postgres.log'),
    pidFile: path.join(state.pids, 'postgres.pid'),
  });
  const at = (/** @type {string} */ dsn) => atSocket(dsn, state.run);
  const ask = (/** @type {string} */ sql) => withClient(at(source), (client) => client.query(sql));
  const answers = () =>
    ask('SELECT 1').then(
      () => true,
      () => false,
    );
  if (!(await waitUntil(answers, startTimeoutMs))) throw new Error('the replica did not start');
  return {
    at,
    pid: server.pid,
    promote: async () => void (await ask('SELECT pg_promote(true)')),
    stop: () => stopPid(server.pid, 'SIGQUIT', 10_000),
  };
}

module.exports = { changeDsn, startPair };
