'use strict';
const path = require('node:path');
const { forgetDeadServer, initdb, notAsRoot, serverFailure, writeSettings } = require('./pgdata');
const { isAlive, readOrNothing } = require('../lib/proc');
const { spawnDaemon, stopPid, tail } = require('../lib/process');
const { createDatabase, createRoles, loginRoles } = require('./roles');
const { binaries } = require('../lib/runtime');
const { openState, secretsOf } = require('./state');
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
 * @param {object} options @param {string} options.dir
 * @param {Record<string, string>} [options.settings] as postgresql.conf writes them
 * @param {number} [options.workers] that will connect @param {Waiting} [waiting]
 */
async function startPostgres({ dir, settings = {}, workers = 0 }, waiting = {}) {
  const state = openState(dir);
  const secrets = secretsOf(state, Object.values(passwordNames));
  await initdb(state, secrets[passwordNames.superuser]);
  writeSettings(state, settings, workers);
  forgetDeadServer(state.pgdata);
  const log = path.join(state.logs, 'postgres.log');
  const command = [path.join(binaries().postgresBin, 'postgres'), '-D', state.pgdata];
  const server = await spawnDaemon(notAsRoot(command), { log });
  /** @param {string} database */
  const superuserDsn = (database) => socketDsn('postgres', secrets[passwordNames.superuser], database, state.run);
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
    stop,
  };
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
