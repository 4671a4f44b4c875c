'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { promisify } = require('node:util');
const { environment } = require('../lib/environment');
const { spawnDaemon, stopPid } = require('../lib/process');
const { notAsRoot } = require('./pgdata');
const { withClient } = require('./roles');
const { binaries } = require('../lib/runtime');
const { openState } = require('./state');
const { waitUntil } = require('../lib/wait-until');

const run = promisify(execFile);
const startTimeoutMs = 30_000;

/** A primary with a replica needs these beside the usual settings. */
const streaming = { wal_level: 'replica', max_wal_senders: '4', hot_standby: 'on' };

/** In at most 25 s; also true if an earlier run promoted it and lost its connection. */
const promotion = 'SELECT CASE WHEN pg_is_in_recovery() THEN pg_promote(true, 25) ELSE true END AS promoted';

/**
 * Run it after that in the catalog's database: under the replica's version, caches may hold rows that were lost with the primary
 * (server/store/servers/server-choice.js), and cursors of lost commits would be taken for others. A database that an earlier release
 * loaded has no era yet.
 */
const newEra =
  'DO $$ BEGIN PERFORM catalog_log.begin_era(); EXCEPTION WHEN undefined_function OR invalid_schema_name THEN ' +
  'PERFORM catalog_meta.bump_version() FROM catalog_meta.data_version WHERE version > 0; END $$';

/**
 * A replica that streams from an embedded PostgreSQL which was started with `streaming`.
 * @param {import('./postgres').Postgres} primary @param {string} dir
 */
async function startReplica(primary, dir) {
  const state = openState(dir);
  const bin = binaries().postgresBin;
  const source = primary.superuserDsn('postgres');
  // The password passes in the environment; -R writes it into the replica's configuration (0600).
  const [program, ...words] = notAsRoot([
    path.join(bin, 'pg_basebackup'),
    '-D',
    state.pgdata,
    '-R',
    '-X',
    'stream',
    '-c',
    'fast',
    '-h',
    primary.socketDir,
    '-U',
    'postgres',
  ]);
  const password = /:\/\/[^:]*:([^@]*)@/.exec(source)?.[1];
  await run(program, words, { env: environment('server', { PGPASSWORD: password }) });
  fs.appendFileSync(path.join(state.pgdata, 'postgresql.conf'), `unix_socket_directories = '${state.run}'\n`);
  const server = await spawnDaemon(notAsRoot([path.join(bin, 'postgres'), '-D', state.pgdata]), {
    log: path.join(state.logs, 'postgres.log'),
  });
  /** The same database and role on the replica. @param {string} dsn */
  const at = (dsn) => dsn.replace(/host=[^&]*/, `host=${encodeURIComponent(state.run)}`);
  const ask = (/** @type {string} */ sql) => withClient(at(source), (client) => client.query(sql));
  const answers = () => ask('SELECT 1').then(Boolean, () => false);
  if (!(await waitUntil(answers, startTimeoutMs))) throw new Error('the replica did not start');
  return {
    at,
    pid: server.pid,
    socketDir: state.run,
    promote: async () => void (await ask(promotion)),
    stop: () => stopPid(server.pid, 'SIGQUIT', 10_000),
  };
}

module.exports = { newEra, promotion, startReplica, streaming };
