'use strict';
const { spawnSync } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { environment, withPath } = require('./environment');
const { runInstaller } = require('./installer');
const { python, root, venvDir, wheelNode } = require('./runtime');

/** @typedef {(line: string) => void} Say */

const neededNode = 24; // the same Express answers four times as much on it as on Node 20, see the README
const oldestPython = [3, 11];
const pythons = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python'];
const lockFiles = ['etl/requirements.lock', 'scripts/requirements.lock'];
const toolLockFile = 'tests/requirements.lock';

/** @param {string[]} files relative @returns {string} changes when one of them does */
function digest(files) {
  const hash = crypto.createHash('sha256');
  for (const file of files) hash.update(fs.readFileSync(path.join(root, file)));
  return hash.digest('hex');
}

/** The stamp lies in what it describes, so that whoever removes one removes both. @param {string} file */
const stampOf = (file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '');

/**
 * @param {string} program @param {string[]} words
 * @returns {{ ok: boolean, output: string }}
 */
function quietly(program, words) {
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd: root,
    encoding: 'utf8',
    env: environment('tool'),
  });
  return { ok: status === 0, output: `${stdout ?? ''}${stderr ?? ''}`.trim() };
}

/** @param {string} output @returns {string} the lines that say why: npm's first errors, pip's last lines */
function reasonIn(output) {
  const lines = output.split('\n').filter((line) => line.trim().length > 'npm error'.length);
  const errors = lines.filter((line) => /^npm error (?!A complete log|code)/.test(line));
  return (errors.length > 0 ? errors.slice(0, 3) : lines.slice(-4)).join('\n  ');
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
  const { ok, output } = await runInstaller(base, ['-m', 'venv', venvDir]);
  if (ok) return;
  fs.rmSync(venvDir, { recursive: true, force: true });
  const next = /ensurepip|venv/.test(output)
    ? 'its venv module is incomplete; Debian, Ubuntu: apt-get install python3-venv'
    : reasonIn(output);
  throw new Error(`${base} cannot make a virtual environment: ${next}`);
}

/**
 * @param {boolean} withTools the test and lint tools too
 * @returns {((say: Say) => Promise<void>) | null} what to do, null when nothing is missing
 */
function ensureVenv(withTools) {
  const files = withTools ? [...lockFiles, toolLockFile] : lockFiles;
  const stamps = [path.join(venvDir, '.stamp'), path.join(venvDir, '.stamp-tools')];
  const stamp = withTools ? stamps[1] : stamps[0];
  const wanted = digest(files);
  if (stampOf(stamp) === wanted && fs.existsSync(python)) return null;
  return async (say) => {
    // Asked to work: of a pip whose copying was cut short, `import pip` finds enough.
    if (!quietly(python, ['-m', 'pip', '--version']).ok) await makeVenv(say);
    say('installing Python packages: loader, PostgreSQL, Valkey, nginx, Node 24');
    const words = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--quiet'];
    const locks = files.flatMap((file) => ['-r', file]);
    const { ok, output } = await runInstaller(python, [...words, '--only-binary=:all:', '--require-hashes', ...locks]);
    if (!ok) {
      throw new Error(
        `pip could not install the Python packages: check the network and the package index\n  ${reasonIn(output)}`,
      );
    }
    fs.writeFileSync(stamp, wanted);
    if (withTools) fs.writeFileSync(stamps[0], digest(lockFiles));
  };
}

/** @returns {string} Node 24 or later: the machine's, or the wheel's */
const findNode = () => (Number(process.versions.node.split('.')[0]) >= neededNode ? process.execPath : wheelNode());

/** npm of whoever called us; without one (node scripts/bootstrap.js) the wheel's. @returns {string} */
function findNpm() {
  const called = process.env.npm_execpath ?? '';
  if (/npm-cli\.c?js$/.test(called) && fs.existsSync(called)) return called;
  return path.join(path.dirname(wheelNode()), '../lib/node_modules/npm/bin/npm-cli.js');
}

/** @returns {((say: Say) => Promise<void>) | null} what to do, null when nothing is missing */
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
    const node = findNode();
    const env = withPath(environment('installer'), path.dirname(node));
    // Tests run what production runs, so one set; NODE_ENV=production would leave the test tools out.
    const { ok, output } = await runInstaller(node, [findNpm(), 'ci', '--include=dev'], env);
    if (!ok) {
      throw new Error(
        `npm could not install the packages: check the network, the registry and who owns node_modules\n  ${reasonIn(output)}`,
      );
    }
    fs.writeFileSync(stamp, wanted);
  };
}

module.exports = { ensureVenv, ensureNodeModules, findNode };
