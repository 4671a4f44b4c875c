'use strict';
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { environment, withPath } = require('../lib/environment');
const floors = require('../lib/floors.json');
const { causeOf, faultOfModules, faultOfVenv, pipEnvironment, quietly, runInstaller } = require('./installer');
const { findNode, findNpm, nodeDir, nodePackage, python, root, venvDir } = require('../lib/runtime');

/** @typedef {import('./installer').Say} Say */
/** @typedef {(say: Say) => Promise<void>} Install */

const oldestPython = [3, 11];
const pythons = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python'];
const lockFiles = ['etl/requirements.lock', 'scripts/requirements.lock'];
const moreLockFiles = { tools: 'tests/requirements.lock', fleet: 'scripts/fleet/requirements.lock' };
const nodeLockFile = 'scripts/install/node/package-lock.json';
const baseStamp = '.stamp';

/** @param {string[]} files relative @returns {string} changes when one of them does */
function digest(files) {
  const hash = crypto.createHash('sha256');
  for (const file of files) hash.update(fs.readFileSync(path.join(root, file)));
  return hash.digest('hex');
}

/** The stamp is in what it describes, so that both are removed together. @param {string} file @returns {string} */
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

/** @param {'tools' | 'fleet'} [more] what the command needs besides @returns {Install | null} null when nothing is missing */
function ensureVenv(more) {
  const files = more ? [...lockFiles, moreLockFiles[more]] : lockFiles;
  const moreStamp = more ? `${baseStamp}-${more}` : baseStamp;
  const stampText = (/** @type {string[]} */ locks) => `${digest(locks)} ${pythonBehind()}`;
  const isCurrent = (/** @type {string} */ name, /** @type {string[]} */ locks) =>
    stampOf(path.join(venvDir, name)) === stampText(locks);
  if (pythonBehind() && isCurrent(moreStamp, files)) return null;
  return async (say) => {
    // Asked to work: of a pip whose copying was cut short, `import pip` finds enough.
    if (!quietly(python, ['-m', 'pip', '--version']).ok) await makeVenv(say);
    // A stamp of other locks goes: they may come back, while the installation is of neither.
    if (!isCurrent(baseStamp, lockFiles)) fs.rmSync(path.join(venvDir, baseStamp), { force: true });
    if (more) fs.rmSync(path.join(venvDir, moreStamp), { force: true });
    const isBaseThere = more && isCurrent(baseStamp, lockFiles);
    const parts = isBaseThere ? { tools: 'test tools', fleet: 'Ansible' }[more] : 'loader, PostgreSQL, Valkey, nginx';
    say(`installing Python packages: ${parts}`);
    const words = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--progress-bar=off'];
    const locks = files.flatMap((file) => ['-r', file]);
    const command = [python, ...words, '--only-binary=:all:', '--require-hashes', ...locks];
    const env = pipEnvironment();
    const name = `pip, from ${hostOf(env, 'PIP_INDEX_URL', 'pypi.org')}`;
    const { ok, output } = await runInstaller(command, { env, say, name });
    if (!ok) {
      const next = 'check the network and the package index';
      throw new Error(`pip could not install the Python packages: ${causeOf(output, next)}`);
    }
    requireNone(faultOfVenv(files.map((file) => path.join(root, file))), 'Python packages');
    fs.writeFileSync(path.join(venvDir, baseStamp), stampText(lockFiles));
    if (more) fs.writeFileSync(path.join(venvDir, moreStamp), stampText(files));
  };
}

/** A .npmrc may say otherwise for another project. */
const asLocked = [
  '--global=false',
  '--location=project',
  '--workspaces=false',
  '--dry-run=false',
  '--package-lock=true',
  '--package-lock-only=false',
  '--install-strategy=hoisted',
  `--os=${process.platform}`,
  `--cpu=${process.arch}`,
];

/**
 * npm ci, which compares each package with the digest in the lock file and runs no script of one.
 * @param {string[]} words its options @param {Say} say @param {string} what
 */
async function runNpm(words, say, what) {
  // Node 26 once it is there: npm leaves out optional packages that need a newer Node than its own.
  const node = fs.existsSync(findNode()) ? findNode() : process.execPath;
  const env = withPath(environment('installer'), path.dirname(node));
  const command = [node, findNpm(), 'ci', '--ignore-scripts', '--loglevel=http', ...asLocked, ...words];
  const name = `npm, from ${hostOf(env, 'npm_config_registry', 'registry.npmjs.org')}`;
  const { ok, output } = await runInstaller(command, { env, say, name });
  if (ok) return;
  const next = 'check the network, the registry and who owns node_modules';
  throw new Error(`npm could not install ${what}: ${causeOf(output, next)}`);
}

/** @returns {Install | null} null when the machine's Node is of a tested major, or ours is installed */
function ensureNode() {
  const stamp = path.join(nodeDir, '.stamp');
  const wanted = digest([nodeLockFile]);
  if (findNode() === process.execPath || stampOf(stamp) === wanted) return null;
  const place = `node_modules/${nodePackage}`;
  const entry = JSON.parse(fs.readFileSync(path.join(root, nodeLockFile), 'utf8')).packages[place];
  if (!entry)
    throw new Error(
      `Node ${Object.values(floors.node.lines).join(' or ')} or later of the same major is needed; npm has no package of it for ${process.platform}-${process.arch}, so install it yourself`,
    );
  return async (say) => {
    say(`installing Node ${entry.version}: the one of this machine is ${process.versions.node}`);
    fs.rmSync(nodeDir, { recursive: true, force: true });
    fs.mkdirSync(nodeDir, { recursive: true });
    // Only the package of this machine, and not as an optional one: npm is silent when it cannot install those.
    const own = { name: 'node', dependencies: { [nodePackage]: entry.version } };
    const packages = { '': own, [place]: { version: entry.version, integrity: entry.integrity } };
    const lock = { name: 'node', lockfileVersion: 3, requires: true, packages };
    fs.writeFileSync(path.join(nodeDir, 'package.json'), JSON.stringify(own));
    fs.writeFileSync(path.join(nodeDir, 'package-lock.json'), JSON.stringify(lock));
    fs.copyFileSync(path.join(root, '.npmrc'), path.join(nodeDir, '.npmrc'));
    await runNpm([`--prefix=${nodeDir}`], say, `Node ${entry.version}`);
    const { ok, output } = quietly(findNode(), ['--version']);
    requireNone(ok ? '' : output, `files of Node ${entry.version}`);
    fs.rmSync(path.join(nodeDir, place, 'include'), { recursive: true, force: true }); // a third of it, for compilers
    fs.writeFileSync(stamp, wanted);
  };
}

/** @returns {Install | null} null when nothing is missing */
function ensureNodeModules() {
  const modules = path.join(root, 'node_modules');
  const stamp = path.join(modules, '.stamp');
  const wanted = digest(['package-lock.json', '.npmrc']);
  if (stampOf(stamp) === wanted) return null;
  // `npm ci` would empty the modules that workers and PM2 run from, and those of other releases behind a link.
  const isLink = fs.lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink();
  if (isLink || fs.existsSync(path.join(modules, '.release')))
    throw new Error(`${root} is a release that serves; run it in a clone`);
  return async (say) => {
    say('installing npm packages');
    // Tests run what production runs, so one set; NODE_ENV=production would leave the test tools out.
    await runNpm(['--include=dev', '--include=optional'], say, 'the packages');
    requireNone(faultOfModules(), 'npm packages');
    fs.writeFileSync(stamp, wanted);
  };
}

module.exports = { ensureNode, ensureNodeModules, ensureVenv };
