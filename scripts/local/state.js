'use strict';
const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { holderOf, isFileOf, lockFile, takeLock } = require('../lib/lock');
const { allPids, descriptorsOf, isAlive, linkOf, parentOf, readOrNothing } = require('../lib/proc');
const { root } = require('../lib/runtime');
const { fromCaller, UsageError } = require('../lib/command-line');
const { waitUntil } = require('../lib/wait-until');
const { option } = require('../lib/words');

/** A Unix socket's path must fit sun_path (108 bytes with its NUL, unix(7)); the longest name we append is below 28. */
const socketDirMaxBytes = 80;
/** Processes of a server that was just killed end within it. */
const serversEndMs = 5000;
/** They would end a string of postgresql.conf or an entry of libpq's list of hosts. */
const mistakable = /[,'"\\\p{Cc}]/u;

/** @typedef {ReturnType<typeof describeState>} State folders and files of one stack */

/**
 * The file that `npm start` writes for the other commands; it has a password of the database, hence 0600.
 * @typedef {{ pid: number, url: string, httpsUrl?: string, loaderDsn: string, workerPorts: number[], adminPorts: number[], writePorts: number[],
 *   programs?: import('../lib/floors').Installed[] }} RunningStack
 *   writePorts: of the writer and of its admin listener; none without a writer; programs: in a stack of an earlier release there are none
 */

/** The option of commands that need a running stack. */
const stateOption = option('DIR', 'folder of the running stack (default .state of the clone)');

/**
 * @param {string | undefined} typed the value of --state @param {string} [fallback] in the clone, when none is given
 * @returns {string} absolute
 */
const stateFolder = (typed, fallback = '.state') => realName(typed ? fromCaller(typed) : path.join(root, fallback));

/** One folder has one name for all commands. @param {string} dir absolute; need not exist @returns {string} without links */
function realName(dir) {
  if (fs.existsSync(dir)) return fs.realpathSync(dir);
  return dir === path.dirname(dir) ? dir : path.join(realName(path.dirname(dir)), path.basename(dir));
}

/**
 * The folder of the sockets. If its path is too long or has characters that servers misread, it is under the temporary folder, with a
 * name that every command derives from the state folder.
 * @param {string} dir absolute
 */
function runDir(dir) {
  const hash = crypto.createHash('sha256').update(dir).digest('hex').slice(0, 12);
  const name = `catalog-${process.getuid?.() ?? 0}-${hash}`;
  const places = [path.join(dir, 'run'), path.join(os.tmpdir(), name)];
  const fits = (/** @type {string} */ place) =>
    Buffer.byteLength(place) <= socketDirMaxBytes && !mistakable.test(place);
  return places.find(fits) ?? path.join('/tmp', name);
}

/** Names the parts of a state folder without touching the disk. @param {string} dir */
function describeState(dir) {
  const absolute = path.resolve(dir);
  const run = runDir(absolute);
  return {
    dir: absolute,
    run, // short enough for sockets; PM2's home is in it as well
    logs: path.join(absolute, 'logs'),
    pgdata: path.join(absolute, 'pgdata'),
    valkey: path.join(absolute, 'valkey'),
    nginx: path.join(absolute, 'nginx'),
    pm2: path.join(run, 'pm2'),
    rejects: path.join(absolute, 'rejects'), // rows that the last load refused
    secrets: path.join(absolute, 'secrets.json'),
    stack: path.join(absolute, 'stack.json'), // what runs on it, while it runs
    startLock: path.join(absolute, 'start.lock'), // held by the start; both say which one
    serversLock: path.join(absolute, 'servers.lock'), // held by each server, which may outlive a killed start
  };
}

/** @param {any} error of the file system @returns {string} its reason, without the system call and its path */
const plainReason = ({ message }) => message.replace(/^\w+: (.*?)(, .*)?$/s, '$1');

/**
 * Runs work whose failure is the folder's: no permission, no space, a file instead of a folder.
 * @template T
 * @param {string} dir @param {() => T} work @returns {T} @throws {UsageError}
 */
function inState(dir, work, hint = 'choose another folder with --state DIR') {
  try {
    return work();
  } catch (error) {
    const { code, path: place } = /** @type {NodeJS.ErrnoException} */ (error);
    if (!code) throw error;
    const reason = code === 'EEXIST' ? `${place} is not a folder` : plainReason(error);
    throw new UsageError(`cannot write to ${dir} (${reason}): ${hint}`);
  }
}

/**
 * Not by mkdir's own recursion, which never ends where the kernel makes the names (below /proc).
 * @param {string} dir @param {number} [mode]
 */
function makeFolders(dir, mode) {
  if (fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return;
  if (path.dirname(dir) !== dir) makeFolders(path.dirname(dir), mode);
  fs.mkdirSync(dir, { mode });
}

/**
 * A private folder. One that another account made first (in /tmp) would let it take our sockets: refused.
 * @param {string} dir
 */
function makePrivate(dir) {
  makeFolders(dir, 0o700);
  const { uid } = fs.statSync(dir);
  if (process.getuid && uid !== process.getuid()) {
    throw new UsageError(`${dir} belongs to another user: choose another folder with --state DIR`);
  }
  fs.chmodSync(dir, 0o700);
}

/** @param {string} dir @returns {State} with its folders made */
function openState(dir) {
  const state = describeState(dir);
  for (const folder of [state.dir, state.run, state.logs]) inState(folder, () => makePrivate(folder));
  return state;
}

/** @param {string} dir @param {string} holder @returns {Error} */
const inUse = (dir, holder) =>
  new UsageError(`${dir} is in use by ${holder}, or choose another folder with --state DIR`);

/** @returns {string} where a pid means something */
const namespace = () => `host ${os.hostname()}, ${linkOf(process.pid, 'ns/pid')}`;

/** @param {State} state @param {string} file @returns {number | null} null: others have it */
function claim({ dir }, file) {
  return inState(dir, () => {
    const lock = lockFile(file);
    if (lock === null) return null;
    fs.ftruncateSync(lock);
    fs.writeSync(lock, `${process.pid}\n${namespace()}\n${new Date().toISOString()}\n`);
    return lock;
  });
}

/** @param {string} file @returns {string} which start claimed it, as far as is known here */
function claimantOf(file) {
  const [pid, place, since] = readOrNothing(file).split('\n');
  if (place === namespace() && isAlive(Number(pid))) return `(pid ${pid}): stop that one (kill ${pid})`;
  const there = since ? `: pid ${pid} of ${place}, started ${since}` : '';
  return `in another container or namespace, or of another account${there}; stop that one`;
}

/**
 * Makes us the only start of a state folder.
 * @param {State} state
 * @returns {Promise<() => boolean>} whether the folder is still the one that was locked
 * @throws {UsageError} when another one runs
 */
async function lockState(state) {
  const name = fs.realpathSync(state.dir);
  // Not only the file: the folder may have been recreated while that start runs.
  if (!(await takeLock(name))) {
    const pid = holderOf(name);
    throw inUse(
      state.dir,
      `another start ${pid ? `(pid ${pid}): stop that one (kill ${pid})` : claimantOf(state.startLock)}`,
    );
  }
  const lock = claim(state, state.startLock);
  if (lock === null) throw inUse(state.dir, `another start ${claimantOf(state.startLock)}`);
  if (path.dirname(state.run) !== state.dir) lockFile(state.run, 'r'); // systemd-tmpfiles cleans no locked folder (tmpfiles.d(5))
  return () => isFileOf(lock, state.startLock);
}

/**
 * The lock of those that write to the folder. Servers that this namespace cannot see keep it, too.
 * @param {State} state @returns {Promise<number>} a descriptor for each server @throws {UsageError} when other servers run there
 */
async function lockServers(state) {
  const file = state.serversLock;
  /** @type {number | null} */
  let lock = null;
  const isLocked = () => (lock = claim(state, file)) !== null;
  if ((await waitUntil(isLocked, serversEndMs)) && lock !== null) return lock;
  const all = allPids().filter((pid) => descriptorsOf(pid).includes(file));
  const pids = all.filter((pid) => !all.includes(parentOf(pid)));
  const seen = `running servers (pid ${pids.join(', ')}): stop those (kill ${pids.join(' ')})`;
  throw inUse(state.dir, pids.length > 0 ? seen : `the servers of a start ${claimantOf(file)}`);
}

/** Readers see the old or the new file, also after a power cut. @param {string} file @param {object} value */
function writePrivate(file, value) {
  const draft = `${file}.new`;
  fs.writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true });
  fs.renameSync(draft, file);
}

/**
 * Named passwords of a stack, generated once and kept in a private file.
 * @param {State} state @param {string[]} names
 * @returns {Record<string, string>} hexadecimal, so that no DSN or SQL literal needs quoting
 */
function secretsOf(state, names) {
  const known = fs.existsSync(state.secrets) ? JSON.parse(fs.readFileSync(state.secrets, 'utf8')) : {};
  const missing = names.filter((name) => !known[name]);
  for (const name of missing) known[name] = crypto.randomBytes(24).toString('hex');
  if (missing.length > 0) writePrivate(state.secrets, known);
  return known;
}

/** @param {string} dir @returns {RunningStack | undefined} none when a kill or a power cut left the file */
function findStack(dir) {
  const file = describeState(dir).stack;
  const stack = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined;
  return stack && isAlive(stack.pid) ? stack : undefined;
}

/**
 * @param {string} dir @param {string} [instead] the alternative, for the message @returns {RunningStack}
 * @throws {UsageError} when none runs there
 */
function runningStack(dir, instead) {
  const stack = findStack(dir);
  if (!stack) throw new UsageError(noStack(dir, instead));
  return stack;
}

/** @param {string} dir @param {string} [instead] */
const noStack = (dir, instead = 'name its folder: --state DIR') => `no stack runs on ${dir}: npm start, or ${instead}`;

module.exports = {
  describeState,
  findStack,
  inState,
  lockServers,
  lockState,
  makeFolders,
  noStack,
  openState,
  plainReason,
  runningStack,
  secretsOf,
  stateFolder,
  stateOption,
  writePrivate,
};
