'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { promisify } = require('node:util');
const { postgresSettings } = require('./postgres-settings');
const { waitUntil, spawnDaemon, stopPid, tail } = require('./process');
const { createDatabase, createRoles, loginRoles, withClient } = require('./roles');
const { binaries } = require('./runtime');
const { openState, secretsOf } = require('./state');

const run = promisify(execFile);
const startTimeoutMs = 60_000; // crash recovery replays up to max_wal_size
const stopTimeoutMs = 30_000;
const stopSignals = /** @type {const} */ ({
  smart: 'SIGTERM',
  fast: 'SIGINT',
  immediate: 'SIGQUIT',
});
const passwordNames = {
  superuser: 'postgresPassword',
  loader: 'loaderPassword',
  api: 'apiPassword',
};

/**
 * PostgreSQL refuses to run as root. A user namespace makes root look like "nobody" to it, over the same
 * files, where another account could not even reach a clone under /root (mode 0700).
 * @param {string[]} command
 */
function notAsRoot(command) {
  if (process.getuid?.() !== 0) return command;
  const nobody = fs.readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m);
  const [, user, group] = nobody ?? ['', '65534', '65534'];
  return ['unshare', '--user', `--map-user=${user}`, `--map-group=${group}`, ...command];
}

/** @param {string} text @param {string} socketDir */
function serverFailure(text, socketDir) {
  const cannotMap = /unshare|Operation not permitted|may not be run as root|cannot be run as root/;
  const next = cannotMap.test(text)
    ? 'PostgreSQL does not run as root and user namespaces are off here: use an ordinary account, or DATABASE_URL'
    : `see its log, or use DATABASE_URL (socket folder ${socketDir})`;
  return new Error(`PostgreSQL did not start: ${text.trim() || 'no output'}\n${next}`);
}

/**
 * @param {import('./state').State} state
 * @param {string} superuserPassword
 */
async function initdb(state, superuserPassword) {
  if (fs.existsSync(path.join(state.pgdata, 'PG_VERSION'))) return;
  // An interrupted initdb leaves a folder that PostgreSQL refuses; only a finished one gets the real name.
  const draft = `${state.pgdata}.new`;
  const passwordFile = path.join(state.run, 'initdb.password');
  fs.rmSync(draft, { recursive: true, force: true });
  fs.writeFileSync(passwordFile, superuserPassword, { mode: 0o600 });
  const [program, ...args] = notAsRoot([
    path.join(binaries().postgresBin, 'initdb'),
    ...['--pgdata', draft, '--username', 'postgres', '--pwfile', passwordFile],
    ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C', '--no-instructions'],
  ]);
  try {
    await run(program, args);
    fs.renameSync(draft, state.pgdata);
  } catch (error) {
    const { stderr, message } = /** @type {Error & { stderr?: string }} */ (error);
    throw serverFailure(stderr || message, state.run);
  } finally {
    fs.rmSync(passwordFile, { force: true });
  }
}

/** @param {import('./state').State} state @param {Record<string, string>} settings @param {number} workers */
function writeSettings(state, settings, workers) {
  const all = {
    ...postgresSettings({ workers }),
    unix_socket_directories: `'${state.run}'`,
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const header = '# Written at every start by scripts/lib/postgres.js; the reasons are beside it.';
  fs.writeFileSync(path.join(state.pgdata, 'postgresql.conf'), `${[header, ...lines].join('\n')}\n`);
}

/**
 * @param {string} user @param {string} password @param {string} database @param {string} socketDir
 */
const socketDsn = (user, password, database, socketDir) =>
  `postgres://${user}:${password}@/${database}?host=${encodeURIComponent(socketDir)}`;

/**
 * @typedef {object} Postgres
 * @property {(role: import('./roles').RoleName, database?: string) => string} dsn
 * @property {(database: string) => string} superuserDsn
 * @property {string} socketDir
 * @property {number} pid
 * @property {Promise<string>} exited
 * @property {(mode?: 'smart' | 'fast' | 'immediate') => Promise<void>} stop
 */

/**
 * Starts the embedded PostgreSQL of a state folder: makes its cluster, the database `catalog` and the roles on
 * first use. It listens on a Unix socket only.
 * @param {object} options
 * @param {string} options.dir
 * @param {Record<string, string>} [options.settings] as postgresql.conf writes them
 * @param {number} [options.workers] that will connect
 * @returns {Promise<Postgres>}
 */
async function startPostgres({ dir, settings = {}, workers = 0 }) {
  const state = openState(dir);
  const secrets = secretsOf(state, Object.values(passwordNames));
  await initdb(state, secrets[passwordNames.superuser]);
  writeSettings(state, settings, workers);
  const log = path.join(state.logs, 'postgres.log');
  const server = await spawnDaemon(notAsRoot([path.join(binaries().postgresBin, 'postgres'), '-D', state.pgdata]), {
    log,
    pidFile: path.join(state.pids, 'postgres.pid'),
  });
  /** @param {string} database */
  const superuserDsn = (database) => socketDsn('postgres', secrets[passwordNames.superuser], database, state.run);
  /** @type {Postgres['stop']} */
  const stop = (mode = 'fast') => stopPid(server.pid, stopSignals[mode], stopTimeoutMs);
  await untilAnswers(server, superuserDsn('postgres'), log, state.run);
  await prepare(superuserDsn, secrets).catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    dsn: (role, database = 'catalog') => socketDsn(loginRoles[role], secrets[passwordNames[role]], database, state.run),
    superuserDsn,
    socketDir: state.run,
    pid: server.pid,
    exited: server.exited,
    stop,
  };
}

/**
 * @param {import('./process').Daemon} server @param {string} dsn @param {string} log @param {string} socketDir
 */
async function untilAnswers(server, dsn, log, socketDir) {
  let ended = false;
  server.exited.then(() => (ended = true));
  const answers = () =>
    withClient(dsn, async (client) => void (await client.query('SELECT 1'))).then(
      () => true,
      () => false,
    );
  const ok = await waitUntil(async () => ended || (await answers()), startTimeoutMs);
  if (ok && !ended) return;
  await stopPid(server.pid, 'SIGQUIT', 5000);
  throw serverFailure(tail(log), socketDir);
}

/** @param {Postgres['superuserDsn']} superuserDsn @param {Record<string, string>} secrets */
async function prepare(superuserDsn, secrets) {
  await createDatabase(superuserDsn('postgres'), 'catalog');
  await createRoles(superuserDsn('catalog'), {
    loader: secrets[passwordNames.loader],
    api: secrets[passwordNames.api],
  });
}

module.exports = { notAsRoot, startPostgres };
