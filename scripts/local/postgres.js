'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { forgetDeadServer, initdb, notAsRoot, serverFailure, writeSettings } = require('./pgdata');
const { isAlive, readOrNothing } = require('../lib/proc');
const { spawnDaemon, stopPid, tail } = require('../lib/process');
const { createDatabase, createRoles, loginRoles } = require('./roles');
const { binaries } = require('../lib/runtime');
const { lockServers, openState, secretsOf } = require('./state');
const { waitUntil } = require('../lib/wait-until');

/** After it the operator reads why the start takes long. */
const tellAfterMs = 3000;
const stopTimeoutMs = 30_000;
const stopSignals = /** @type {const} */ ({ smart: 'SIGTERM', fast: 'SIGINT', immediate: 'SIGQUIT' });
const passwordNames = {
  superuser: 'postgresPassword',
  loader: 'loaderPassword',
  api: 'apiPassword',
  writer: 'writerPassword',
};

/** @param {string} user @param {string} password @param {string} database @param {string} socketDir */
const socketDsn = (user, password, database, socketDir) =>
  `postgres://${user}:${password}@/${database}?host=${encodeURIComponent(socketDir)}`;

/** @typedef {Awaited<ReturnType<typeof startPostgres>>} Postgres */
/** @typedef {{ say?: (line: string) => void, signal?: AbortSignal }} Waiting where to report a long start, and a signal that ends the waiting */

/**
 * Starts the embedded PostgreSQL of a state folder: makes its cluster, the database `catalog` and the roles on
 * first use. It listens on a Unix socket only.
 * @param {object} options @param {string} options.dir @param {number} [options.lock] of that folder, where we have it
 * @param {Record<string, string>} [options.settings] as postgresql.conf writes them
 * @param {number} [options.workers] that will connect @param {Waiting} [waiting]
 */
async function startPostgres({ dir, lock, settings = {}, workers = 0 }, waiting = {}) {
  const state = openState(dir);
  const kept = lock ?? (await lockServers(state));
  const secrets = secretsOf(state, Object.values(passwordNames));
  const log = path.join(state.logs, 'postgres.log');
  const superuser = secrets[passwordNames.superuser];
  const server = await launch(state, { lock: kept, log, superuser, settings, workers }).finally(
    () => lock ?? fs.closeSync(kept), // the server keeps it
  );
  /** @param {string} database */
  const superuserDsn = (database) => socketDsn('postgres', superuser, database, state.run);
  /** @param {keyof typeof stopSignals} [mode] */
  const stop = (mode = 'fast') => stopPid(server.pid, stopSignals[mode], stopTimeoutMs);
  const places = { log, dir: state.dir, pgdata: state.pgdata, socketDir: state.run };
  await untilReady(server, places, waiting);
  const { loaderPassword: loader, apiPassword: api, writerPassword: writer } = secrets;
  try {
    await createDatabase(superuserDsn('postgres'), 'catalog');
    await createRoles(superuserDsn('catalog'), { loader, api, writer });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    dsn: (/** @type {import('./roles').RoleName} */ role) =>
      socketDsn(loginRoles[role], secrets[passwordNames[role]], 'catalog', state.run),
    superuserDsn,
    socketDir: state.run,
    pid: server.pid,
    exited: server.exited,
    log,
    stop,
  };
}

/**
 * Nothing of the data is touched without the lock.
 * @param {import('./state').State} state
 * @param {{ lock: number, log: string, superuser: string, settings: Record<string, string>, workers: number }} server
 */
async function launch(state, { lock, log, superuser, settings, workers }) {
  await initdb(state, superuser);
  writeSettings(state, settings, workers);
  forgetDeadServer(state.pgdata);
  const command = [path.join(binaries().postgresBin, 'postgres'), '-D', state.pgdata];
  return spawnDaemon(notAsRoot(command), { log, lock });
}

/**
 * Reads what pg_ctl reads: postmaster.pid has the pid of the server first and its state in the eighth line.
 * @param {import('../lib/process').Daemon} server that was started
 * @param {{ log: string, dir: string, pgdata: string, socketDir: string }} places @param {Waiting} waiting
 */
async function untilReady(server, { log, dir, pgdata, socketDir }, { say = () => {}, signal }) {
  const isReady = () => {
    const lines = readOrNothing(path.join(pgdata, 'postmaster.pid')).split('\n');
    return lines[0] === String(server.pid) && lines[7]?.trim() === 'ready'; // else another one runs there
  };
  const isSettled = () => isReady() || !isAlive(server.pid) || Boolean(signal?.aborted);
  if (!(await waitUntil(isSettled, tellAfterMs))) {
    say('postgres: still starts; after an unclean stop it recovers, which may take minutes');
    await waitUntil(isSettled, Infinity);
  }
  if (isReady() && isAlive(server.pid)) return;
  await stopPid(server.pid, 'SIGQUIT', 5000);
  throw serverFailure(tail(log), { dir, socketDir });
}

module.exports = { startPostgres };
