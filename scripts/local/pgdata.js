'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { promisify } = require('node:util');
const { adopt, notAsRoot } = require('./account');
const { fullDisk, saysFull } = require('../lib/disk');
const { environment } = require('../lib/environment');
const { postgresSettings } = require('./postgres-settings');
const { otherPids, workFolderOf } = require('../lib/proc');
const { binaries } = require('../lib/runtime');

/* Prepares PostgreSQL's data directory before a server starts on it. */

const run = promisify(execFile);

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
  const [program, ...args] = notAsRoot([
    path.join(binaries().postgresBin, 'initdb'),
    ...['--pgdata', draft, '--username', 'postgres', '--pwfile', passwordFile],
    ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C', '--no-instructions'],
  ]);
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
  if (!otherPids().some((pid) => workFolderOf(pid) === folder)) fs.rmSync(file);
}

/** @param {import('./state').State} state @param {Record<string, string>} settings @param {number} workers */
function writeSettings(state, settings, workers) {
  const all = { ...postgresSettings({ workers }), unix_socket_directories: `'${state.run}'`, ...settings };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const header = '# Written at every start by scripts/local/pgdata.js; postgres-settings.js has the reasons.';
  fs.writeFileSync(path.join(state.pgdata, 'postgresql.conf'), `${[header, ...lines].join('\n')}\n`);
}

module.exports = { forgetDeadServer, initdb, serverFailure, writeSettings };
