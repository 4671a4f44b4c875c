'use strict';
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { environment, withPath } = require('./environment');
const { causeOf } = require('./install-failure');
const { faultOfModules, faultOfVenv, quietly } = require('./installed');
const { runInstaller } = require('./installer');
const { python, root, venvDir, wheelNode } = require('./runtime');

/** @typedef {import('./installer').Say} Say */
/** @typedef {{ mb: number, install: (say: Say) => Promise<void> }} Step `mb`: of disk that it takes in a fresh clone */

const neededNode = 24; // the same Express answers four times as much on it as on Node 20, see the README
const oldestPython = [3, 11];
const pythons = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python'];
const lockFiles = ['etl/requirements.lock', 'scripts/requirements.lock'];
const toolLockFile = 'tests/requirements.lock';
const [baseStamp, toolStamp] = ['.stamp', '.stamp-tools'];
/** What is installed, in MB of disk. */
const [venvMb, toolsMb, modulesMb] = [600, 200, 300];

/** @param {string[]} files relative @returns {string} changes when one of them does */
function digest(files) {
  const hash = crypto.createHash('sha256');
  for (const file of files) hash.update(fs.readFileSync(path.join(root, file)));
  return hash.digest('hex');
}

/**
 * The stamp is in what it describes, so that both are removed together.
 * @param {string} file @returns {string}
 */
const stampOf = (file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '');

/** A distribution's upgrade puts another Python behind the same link. @returns {string} empty: none */
const pythonBehind = () => (fs.existsSync(python) ? fs.realpathSync(python) : '');

/** @param {NodeJS.ProcessEnv} env @param {string} name of the variable with the address @param {string} usual */
const hostOf = (env, name, usual) => (URL.canParse(env[name] ?? '') ? new URL(env[name] ?? '').host : usual);

/** @param {string} fault of what was installed @param {string} what */
function requireNone(fault, what) {
  if (fault) throw new Error(`the ${what} were installed and do not work: ${causeOf(fault)}`);
}

/** @returns {string} a Python that is new enough */
function findPython() {
  const code = 'import sys; print(*sys.version_info[:2])';
  for (const name of [process.env.PYTHON ?? '', ...pythons].filter(Boolean)) {
    const { ok, output } = quietly(name, ['-c', code]);
    const [major, minor] = output.split(' ').map(Number);
    if (ok && major === oldestPython[0] && minor >= oldestPython[1]) return name;
  }
  throw new Error(
    'Python 3.11 or later is needed and none was found: install it ' +
      '(Debian, Ubuntu: apt-get install python3 python3-venv), or name one: PYTHON=/path/to/python3 npm start',
  );
}

/** @param {Say} say */
async function makeVenv(say) {
  const base = findPython();
  say(`making a virtual environment with ${base}`);
  fs.rmSync(venvDir, { recursive: true, force: true });
  const command = [base, '-m', 'venv', venvDir];
  const { ok, output } = await runInstaller(command, { env: environment('installer'), say, name: `${base} -m venv` });
  if (ok) return;
  fs.rmSync(venvDir, { recursive: true, force: true });
  throw new Error(`${base} cannot make a virtual environment: ${causeOf(output)}`);
}

/**
 * @param {boolean} withTools the test and lint tools too
 * @returns {Step | null} null when nothing is missing
 */
function ensureVenv(withTools) {
  const all = [...lockFiles, toolLockFile];
  const files = withTools ? all : lockFiles;
  const stampText = (/** @type {string[]} */ locks) => `${digest(locks)} ${pythonBehind()}`;
  const isCurrent = (/** @type {string} */ name, /** @type {string[]} */ locks) =>
    stampOf(path.join(venvDir, name)) === stampText(locks);
  if (pythonBehind() && isCurrent(withTools ? toolStamp : baseStamp, files)) return null;
  const mb = fs.existsSync(venvDir) ? 0 : venvMb + (withTools ? toolsMb : 0);
  const install = async (/** @type {Say} */ say) => {
    // Asked to work: of a pip whose copying was cut short, `import pip` finds enough.
    if (!quietly(python, ['-m', 'pip', '--version']).ok) await makeVenv(say);
    // Of other locks, which may come back: what is installed then is neither.
    if (!isCurrent(baseStamp, lockFiles)) fs.rmSync(path.join(venvDir, baseStamp), { force: true });
    if (withTools) fs.rmSync(path.join(venvDir, toolStamp), { force: true });
    say('installing Python packages: loader, PostgreSQL, Valkey, nginx, Node 24');
    const words = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--progress-bar=off'];
    const locks = files.flatMap((file) => ['-r', file]);
    const command = [python, ...words, '--only-binary=:all:', '--require-hashes', ...locks];
    const env = environment('installer');
    const name = `pip, from ${hostOf(env, 'PIP_INDEX_URL', 'pypi.org')}`;
    const { ok, output } = await runInstaller(command, { env, say, name });
    if (!ok) {
      const next = 'check the network and the package index';
      throw new Error(`pip could not install the Python packages: ${causeOf(output, next)}`);
    }
    requireNone(faultOfVenv(files.map((file) => path.join(root, file))), 'Python packages');
    fs.writeFileSync(path.join(venvDir, baseStamp), stampText(lockFiles));
    if (withTools) fs.writeFileSync(path.join(venvDir, toolStamp), stampText(all));
  };
  return { mb, install };
}

/** @returns {string} Node 24 or later: the machine's, or the wheel's */
const findNode = () => (Number(process.versions.node.split('.')[0]) >= neededNode ? process.execPath : wheelNode());

/** npm of whoever called us; without one (node scripts/bootstrap.js) the wheel's. @returns {string} */
function findNpm() {
  const called = process.env.npm_execpath ?? '';
  if (/npm-cli\.c?js$/.test(called) && fs.existsSync(called)) return called;
  return path.join(path.dirname(wheelNode()), '../lib/node_modules/npm/bin/npm-cli.js');
}

/** @returns {Step | null} null when nothing is missing */
function ensureNodeModules() {
  const modules = path.join(root, 'node_modules');
  const stamp = path.join(modules, '.stamp');
  const wanted = digest(['package-lock.json', '.npmrc']);
  if (stampOf(stamp) === wanted) return null;
  // `npm ci` would empty the modules that workers and PM2 run from, and those of other releases behind a link.
  const isLink = fs.lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink();
  if (isLink || fs.existsSync(path.join(modules, '.release')))
    throw new Error(`${root} is a release that serves; run it in a clone`);
  const mb = fs.existsSync(modules) ? 0 : modulesMb;
  const install = async (/** @type {Say} */ say) => {
    say('installing npm packages');
    const node = findNode();
    const env = withPath(environment('installer'), path.dirname(node));
    // Tests run what production runs, so one set; NODE_ENV=production would leave the test tools out.
    const command = [node, findNpm(), 'ci', '--include=dev', '--include=optional', '--loglevel=http'];
    const name = `npm, from ${hostOf(env, 'npm_config_registry', 'registry.npmjs.org')}`;
    const { ok, output } = await runInstaller(command, { env, say, name });
    if (!ok) {
      const next = 'check the network, the registry and who owns node_modules';
      throw new Error(`npm could not install the packages: ${causeOf(output, next)}`);
    }
    requireNone(faultOfModules(), 'npm packages');
    fs.writeFileSync(stamp, wanted);
  };
  return { mb, install };
}

module.exports = { ensureVenv, ensureNodeModules, findNode };
