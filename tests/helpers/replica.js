'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { environment } = require('../../scripts/lib/environment');
const { spawnDaemon, stopPid } = require('../../scripts/lib/process');
const { binaries } = require('../../scripts/lib/runtime');
const { waitUntil } = require('../../scripts/lib/wait-until');
const { notAsRoot } = require('../../scripts/local/pgdata');
const { startPostgres } = require('../../scripts/local/postgres');
const { withClient } = require('../../scripts/local/roles');
const { openState } = require('../../scripts/local/state');
const { read } = require('../docs/sources');

const run = promisify(execFile);
const throwAway = { fsync: 'off', shared_buffers: '32MB', autovacuum: 'off' };

/** A primary with a replica needs these beside the usual settings. */
const streaming = { wal_level: 'replica', max_wal_senders: '4', hot_standby: 'on' };

/** In at most 25 s; also true if an earlier run promoted it and lost its connection. */
const promotion = 'SELECT CASE WHEN pg_is_in_recovery() THEN pg_promote(true, 25) ELSE true END AS promoted';

/** Runs after it in the catalog's database: what Patroni's callback sends. */
const newEra = /<<'SQL'\n([^]*?)\nSQL$/m.exec(read('scripts/fleet/roles/db/files/catalog-promoted'))?.[1] ?? '';

/** @typedef {Awaited<ReturnType<typeof startReplica>>} Replica */

/**
 * A replica that streams from an embedded PostgreSQL which was started with `streaming`.
 * @param {import('../../scripts/local/postgres').Postgres} primary @param {string} dir
 */
async function startReplica(primary, dir) {
  const state = openState(dir);
  const [backup, postgres] = ['pg_basebackup', 'postgres'].map((name) => path.join(binaries().postgresBin, name));
  const source = primary.superuserDsn('postgres');
  // The password passes in the environment; --write-recovery-conf writes it into the replica's configuration (0600).
  const how = ['--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast'];
  const where = [`--pgdata=${state.pgdata}`, `--host=${primary.socketDir}`, '--username=postgres'];
  const [program, ...words] = notAsRoot([backup, ...how, ...where]);
  const password = /:\/\/[^:]*:([^@]*)@/.exec(source)?.[1];
  await run(program, words, { env: environment('server', { PGPASSWORD: password }) });
  fs.appendFileSync(path.join(state.pgdata, 'postgresql.conf'), `unix_socket_directories = '${state.run}'\n`);
  const log = path.join(state.logs, 'postgres.log');
  const server = await spawnDaemon(notAsRoot([postgres, '-D', state.pgdata]), { log });
  /** The same database and role on the replica. @param {string} dsn */
  const at = (dsn) => dsn.replace(/host=[^&]*/, `host=${encodeURIComponent(state.run)}`);
  const ask = (/** @type {string} */ sql) => withClient(at(source), (client) => client.query(sql));
  const answers = () => ask('SELECT 1').then(Boolean, () => false);
  if (!(await waitUntil(answers, 30_000))) throw new Error('the replica did not start');
  return {
    at,
    pid: server.pid,
    socketDir: state.run,
    promote: async () => void (await ask(promotion)),
    stop: () => stopPid(server.pid, 'SIGQUIT', 10_000),
  };
}

/**
 * A primary and its streaming replicas, all only for this test file.
 * @param {number} count of replicas @param {Record<string, string>} [own] settings
 */
async function startServers(count, own) {
  const base = fs.mkdtempSync(path.join(os.tmpdir(), 'pair-'));
  const settings = { ...throwAway, ...streaming, ...own };
  const primary = await startPostgres({ dir: path.join(base, 'primary'), settings });
  const replicas = /** @type {Replica[]} */ ([]);
  for (let index = 0; index < count; index += 1)
    replicas.push(await startReplica(primary, path.join(base, `replica-${index}`)));
  const stop = async () => {
    await Promise.all([primary.stop('immediate'), ...replicas.map((each) => each.stop())]);
    fs.rmSync(base, { recursive: true, force: true });
  };
  /** One URL of all, replicas first. @param {string} dsn of the primary */
  const all = (dsn) => together(...replicas.map((each) => each.at(dsn)), dsn);
  return { primary, replicas, stop, all };
}

/** @param {Record<string, string>} [own] settings */
async function startPair(own) {
  const servers = await startServers(1, own);
  return { ...servers, replica: servers.replicas[0] };
}

/** @param {string[]} dsns of one database, over sockets @returns {string} one URL of their servers */
function together(...dsns) {
  const hosts = dsns.map((dsn) => /host=([^&]*)/.exec(dsn)?.[1]);
  return dsns[0].replace(/host=[^&]*/, `host=${hosts.join(',')}`);
}

/** One server by two names, the second a link to the folder of its socket. @param {string} dsn */
function byTwoNames(dsn) {
  const folder = decodeURIComponent(/host=([^&]*)/.exec(dsn)?.[1] ?? '');
  const base = fs.mkdtempSync(path.join(os.tmpdir(), 'second-name-'));
  const link = path.join(base, 'run');
  fs.symlinkSync(folder, link);
  const url = together(dsn, dsn.replace(/host=[^&]*/, `host=${encodeURIComponent(link)}`));
  return { url, names: [`${folder}:5432`, `${link}:5432`], forget: () => fs.rmSync(base, { recursive: true }) };
}

module.exports = { byTwoNames, newEra, promotion, startPair, startReplica, startServers, streaming, together };
