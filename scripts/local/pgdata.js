'use strict';
const { execFile, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { promisify } = require('node:util');
const { fullDisk, saysFull } = require('../lib/disk');
const { environment } = require('../lib/environment');
const { postgresSettings } = require('./postgres-settings');
const { linkOf, otherPids } = require('../lib/proc');
const { binaries } = require('../lib/runtime');

/*
 * Prepares PostgreSQL's data directory before a server starts on it, and the account: PostgreSQL refuses to run as root, but root starts
 * it from a clone that no other account can enter (/root, mode 0700).
 */

const run = promisify(execFile);

/** @returns {{ uid: string, gid: string }} */
function nobody() {
  const [, uid, gid] = fs.readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m) ?? [];
  return { uid: uid ?? '65534', gid: gid ?? '65534' };
}

/** @typedef {{ words: string[], owner: number }} Way how a command runs as "nobody", and who owns the files that it makes */

/** @returns {Way[]} the best first */
function ways() {
  const { uid, gid } = nobody();
  const passing = '--inh-caps=+dac_override --ambient-caps=+dac_override';
  return [
    // root looks like "nobody" inside a user namespace, over the same files
    { words: ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`], owner: 0 },
    // Containers often forbid that. Then "nobody" itself, with root's right to pass through every folder.
    {
      words: `setpriv --reuid=${uid} --regid=${gid} --clear-groups ${passing}`.split(' '),
      owner: Number(uid),
    },
  ];
}

/** @type {Way | undefined} of this machine, tried once */
let chosen;

/** @returns {Way} @throws {Error} when root can become no other account */
function wayOfMachine() {
  const works = (/** @type {Way} */ { words: [program, ...words] }) =>
    spawnSync(program, [...words, 'true'], { env: environment('server') }).status === 0;
  chosen ??= ways().find(works);
  if (chosen) return chosen;
  throw new Error(
    'PostgreSQL does not run as root, and here root can neither make a user namespace (unshare) nor become another account (setpriv): ' +
      'start as an ordinary user (in a container: docker run --user 1000:1000), or name a server in DATABASE_URL',
  );
}

/** @param {string[]} command @returns {string[]} the same, by an account that PostgreSQL accepts */
const notAsRoot = (command) => (process.getuid?.() === 0 ? [...wayOfMachine().words, ...command] : command);

/** A data directory must belong to the account of its server, but may come from a machine with another account. @param {string} pgdata */
function adopt(pgdata) {
  if (process.getuid?.() !== 0) return;
  const { owner } = wayOfMachine();
  if (fs.statSync(pgdata).uid === owner) return;
  const { status, stderr } = spawnSync('chown', ['--recursive', String(owner), pgdata], {
    env: environment('server'),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`cannot change the owner of ${pgdata} to uid ${owner}: ${stderr.trim()}`);
}

/**
 * @param {string} text what it said
 * @param {{ dir: string, socketDir: string }} places its state folder, whose name may be any word, and that of its socket
 */
function serverFailure(text, { dir, socketDir }) {
  const next = saysFull(text.replaceAll(dir, ''))
    ? fullDisk(dir)
    : `see its log, or use DATABASE_URL (socket folder ${socketDir})`;
  return new Error(`PostgreSQL did not start: ${text.trim() || 'no output'}\n${next}`);
}

/** @param {import('./state').State} state @param {string} superuserPassword */
async function initdb(state, superuserPassword) {
  if (fs.existsSync(path.join(state.pgdata, 'PG_VERSION'))) return adopt(state.pgdata);
  // An interrupted initdb leaves a folder that PostgreSQL refuses; only a finished one gets the real name.
  const draft = `${state.pgdata}.new`;
  const passwordFile = path.join(state.run, 'initdb.password');
  fs.rmSync(draft, { recursive: true, force: true });
  fs.writeFileSync(passwordFile, superuserPassword, { mode: 0o600 });
  const initial = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  const how = [`--pgdata=${draft}`, ...initial, '--encoding=UTF8', '--locale=C', '--no-instructions'];
  const [program, ...args] = notAsRoot([path.join(binaries().postgresBin, 'initdb'), ...how]);
  try {
    await run(program, args, { env: environment('server') });
    fs.renameSync(draft, state.pgdata);
  } catch (error) {
    const { stderr, message } = /** @type {Error & { stderr?: string }} */ (error);
    throw serverFailure(stderr || message, { dir: state.dir, socketDir: state.run });
  } finally {
    fs.rmSync(passwordFile, { force: true });
  }
}

/**
 * A power cut leaves the pid of a postmaster, which another process may have by now: PostgreSQL would not start. All its processes work in
 * the data directory, so no server runs if no process works there.
 * @param {string} pgdata
 */
function forgetDeadServer(pgdata) {
  const file = path.join(pgdata, 'postmaster.pid');
  if (!fs.existsSync(file)) return;
  const folder = fs.realpathSync(pgdata);
  if (!otherPids().some((pid) => linkOf(pid, 'cwd') === folder)) fs.rmSync(file);
}

/** @param {import('./state').State} state @param {Record<string, string>} settings @param {number} workers */
function writeSettings(state, settings, workers) {
  const all = { ...postgresSettings({ workers }), unix_socket_directories: `'${state.run}'`, ...settings };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const header = '# Written at every start by scripts/local/pgdata.js; postgres-settings.js has the reasons.';
  fs.writeFileSync(path.join(state.pgdata, 'postgresql.conf'), `${[header, ...lines].join('\n')}\n`);
}

module.exports = { forgetDeadServer, initdb, notAsRoot, serverFailure, writeSettings };
