'use strict';
const path = require('node:path');

/*
 * The commands of a deploy on a node, as lists of words. A release is a folder; `current` links to the one that serves.
 */

/** The service's folder on a node, made by the role base. */
const home = '/opt/catalog';
const node = `${home}/node/bin/node`;
const pm2 = '/usr/local/sbin/catalog-pm2';
/** @param {string} id */
const releaseDir = (id) => `${home}/releases/${id}`;
/** @param {string} name digest of package-lock.json, or npm's cache of it */
const modulesDir = (name) => `${home}/modules/${name}`;

/** The node's files have the addresses of its workers. A shell reads them: Node itself would apply their NODE_OPTIONS. */
const withHosts = `. /etc/catalog/worker.env
if [ -e /etc/catalog/worker.local.env ]; then . /etc/catalog/worker.local.env; fi
export ADMIN_HOST HOST && exec "$@"`;
/** All settings of a worker, without NODE_OPTIONS, which would apply to the check itself. */
const withSettings = `set -a && . /etc/catalog/worker.env
if [ -e /etc/catalog/worker.local.env ]; then . /etc/catalog/worker.local.env; fi
unset NODE_OPTIONS && exec "$@"`;
const settingsScript = `try { require(process.argv[1]).loadConfig(); } catch ({ message }) { console.error(message); process.exit(1); }`;
/** Exits with 0 once /readyz returns 200, and with 1 at the deadline. */
const readyScript = `const [, tail, ms] = process.argv; const url = "http://" + process.env.ADMIN_HOST + tail;
const end = Date.now() + Number(ms);
const ask = () => fetch(url, { signal: AbortSignal.timeout(2000) }).then((reply) => reply.ok, () => false);
const again = async () => { if (await ask()) process.exit(0); if (Date.now() > end) process.exit(1); setTimeout(again, 100); };
again();`;
/**
 * Requests a list of one product and all routes of that product: now, and again after a while. 404 and an empty list are
 * correct answers. A 503 or no answer may pass, so it gets five tries; any other 5xx gets one. Exit 1 prints the cause.
 */
const watchScript = `const [, tail, text] = process.argv; const ms = Number(text);
const url = "http://" + process.env.HOST + tail;
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
const fail = (more, why, isFinal) => { throw Object.assign(new Error(tail + more + ": " + why), { isFinal }); };
const ask = async (more) => {
  const silent = ({ message, cause }) => fail(more, cause ? cause.message : message);
  const reply = await fetch(url + more, { signal: AbortSignal.timeout(2000) }).catch(silent);
  if (reply.status >= 500) fail(more, reply.status, reply.status !== 503);
  return reply.ok ? reply.json() : [];
};
const each = async () => {
  for (const { id } of await ask("?count=1")) for (const more of ["", "/styles", "/related"]) await ask("/" + id + more);
};
const look = (tries) => each().catch((error) => {
  if (tries === 1 || error.isFinal) throw error;
  return pause(ms / 5).then(() => look(tries - 1));
});
const end = ({ message }) => { console.error(message); process.exit(1); };
look(5).then(() => pause(ms)).then(() => look(5)).catch(end);`;

const commands = {
  /** With an explicit mode, because workers must enter it. @param {string} id */
  makeRelease: (id) => ['install', '-d', '-m', '755', releaseDir(id)],
  /** Unpacks standard input. @param {string} id */
  unpack: (id) => ['tar', '-xf', '-', '-C', releaseDir(id)],
  /** @param {string} lock digest of package-lock.json */
  hasModules: (lock) => ['test', '-e', `${modulesDir(lock)}/node_modules`],
  /** Whether the workers of a node report to New Relic. */
  hasAgentKey: () => ['sh', '-c', withSettings, 'sh', 'sh', '-c', '[ -n "$NEW_RELIC_LICENSE_KEY" ]'],
  /** @param {string} id @param {string} set name of its node_modules @param {boolean} withAgent New Relic's, the optional package */
  installModules: (id, set, withAgent) => [
    ...['env', `PATH=${path.dirname(node)}:/usr/bin:/bin`],
    // Node has its own list of certificate authorities, without those of a company.
    'NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt',
    ...['npm', 'ci', '--omit=dev', '--ignore-scripts'],
    ...['--prefix', releaseDir(id), '--cache', modulesDir(`.cache-${set}`)],
    ...(withAgent ? [] : ['--omit=optional']),
  ],
  /** @param {string} lock */
  makeModules: (lock) => ['install', '-d', '-m', '755', `${home}/modules`, modulesDir(lock)],
  /** Synced first: later deploys would use files that a power cut left empty. @param {string} id @param {string} lock */
  keepModules: (id, lock) => [
    ...['sh', '-c', 'sync -f "$1" && mv "$1" "$2"', 'sh'],
    ...[`${releaseDir(id)}/node_modules`, `${modulesDir(lock)}/node_modules`],
  ],
  /** @param {string} id @param {string} lock */
  linkModules: (id, lock) => ['ln', '-sfn', `${modulesDir(lock)}/node_modules`, `${releaseDir(id)}/node_modules`],
  /** The release itself checks them, before it runs in a worker. @param {string} id */
  checkSettings: (id) => [
    ...['sh', '-c', withSettings, 'sh'],
    ...[node, '-e', settingsScript, `${releaseDir(id)}/server/config/config.js`],
  ],
  /** @param {string} id */
  hasRelease: (id) => ['test', '-e', `${releaseDir(id)}/package.json`],
  current: () => ['readlink', `${home}/current`],
  /** @param {string} target */
  prepareSwitch: (target) => ['ln', '-sfn', target, `${home}/current.new`],
  /** A rename, so that there is always a current release. */
  completeSwitch: () => ['mv', '-T', `${home}/current.new`, `${home}/current`],
  /** @param {string} target */
  notePrevious: (target) => ['ln', '-sfn', target, `${home}/previous`],
  previous: () => ['readlink', `${home}/previous`],
  forgetPrevious: () => ['rm', '-f', `${home}/previous`],
  /** @param {string} target */
  noteInterrupted: (target) => ['ln', '-sfn', target, `${home}/interrupted`],
  interrupted: () => ['readlink', `${home}/interrupted`],
  forgetInterrupted: () => ['rm', '-f', `${home}/interrupted`],
  /** By the file, not by the worker's name: options of PM2 may have changed too. @param {number} port */
  reloadWorker: (port) => [
    ...[pm2, 'reload', `${home}/current/ecosystem.config.js`],
    ...['--only', `worker-${port}`, '--update-env'],
  ],
  /** @param {number} adminPort @param {number} deadlineMs */
  awaitReady: (adminPort, deadlineMs) => [
    ...['sh', '-c', withHosts, 'sh'],
    ...[node, '-e', readyScript, `:${adminPort}/readyz`, String(deadlineMs)],
  ],
  /** @param {number} port @param {number} ms between the two checks */
  watchWorker: (port, ms) => [
    ...['sh', '-c', withHosts, 'sh'],
    ...[node, '-e', watchScript, `:${port}/products`, String(ms)],
  ],
  /** @param {number} port */
  pidOf: (port) => [pm2, 'pid', `worker-${port}`],
  /** @param {string} pid */
  folderOf: (pid) => ['readlink', `/proc/${pid}/cwd`],
  lock: () => ['mkdir', `${home}/deploy.lock`],
  unlock: () => ['rmdir', `${home}/deploy.lock`],
  /** Appends standard input. Only root may write to this folder: elsewhere a link could make root change any file. */
  audit: () => ['tee', '-a', `${home}/deploys.log`],
  releases: () => ['ls', '-t', `${home}/releases`],
  /** @param {string} id */
  removeRelease: (id) => ['rm', '-rf', releaseDir(id)],
  /** The folders of modules that releases link to. */
  linkedModules: () => [
    ...['find', `${home}/releases`, '-mindepth', '2', '-maxdepth', '2'],
    ...['-type', 'l', '-name', 'node_modules', '-printf', '%l\\n'],
  ],
  modules: () => ['ls', '-A', `${home}/modules`],
  /** @param {string} name */
  removeModules: (name) => ['rm', '-rf', modulesDir(name)],
  /** The title of PM2's process does not show the file that it was started from; this report does. */
  reportOfPm2: () => [pm2, 'report'],
};

module.exports = { commands, modulesDir, releaseDir };
