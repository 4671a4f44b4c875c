'use strict';
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { requireSpace } = require('./lib/disk');
const { environmentOf, withPath } = require('./lib/environment');
const { ensureNode, ensureNodeModules, ensureVenv } = require('./install/install');
const { Interrupted } = require('./install/installer');
const { withInstallLock } = require('./lib/lock');
const { findNode, root, runtimeDir } = require('./lib/runtime');
const { endingSignals, outliveTerminal, UsageError } = require('./lib/command-line');
const { parseStartOptions } = require('./local/start-options');

/*
 * Runs on the machine's own Node (20 or later) with nothing installed: only node: modules and files that keep to
 * them may be required here. Installs what is missing, then hands over to a tested Node.
 */

// No mode may depend on the shell: under 027 nginx's workers could not enter their folders, under 000 anyone could write here.
// Private files have modes of their own.
process.umask(0o022);
outliveTerminal();

const commands = 'start status load etl key hook generate k6 fleet monitor profile check'.split(' ');
/** They prove the others. @type {Record<string, string>} */
const proving = { test: 'npm-test', bench: 'lab/bench', faults: 'lab/faults', 'fleet-test': 'lab/fleet-test' };
/** Further needs of these commands: the test and lint tools, with the fuzzer of faults; Ansible. @type {Record<string, 'tools' | 'fleet'>} */
const needs = { test: 'tools', check: 'tools', faults: 'tools', fleet: 'fleet', 'fleet-test': 'fleet' };

/** @param {string} line */
const say = (line) => console.error(`setup: ${line}`);

/** No quotes make them part of a path for what runs from the clone; each was tried. @type {Record<string, string>} */
const misread = {
  ':': 'a colon in its name, which Python refuses in a virtual environment',
  '*': 'an asterisk in its name, which Node replaces when it looks for packages',
  '\\': 'a backslash in its name, with which Node finds no packages',
  $: 'a dollar sign in its name, which initdb of PostgreSQL hands to a shell',
  '`': 'a backquote in its name, which initdb of PostgreSQL hands to a shell',
  '"': 'a double quote in its name, which initdb of PostgreSQL hands to a shell',
};

/** @param {string} folder */
function requireName(folder) {
  const sign = Object.keys(misread).find((each) => folder.includes(each));
  if (sign) throw new Error(`${folder} has ${misread[sign]}: rename or move the clone`);
}

/** @param {string} folder */
function requireWritable(folder) {
  try {
    fs.accessSync(folder, fs.constants.W_OK);
  } catch (error) {
    const { uid } = fs.statSync(folder);
    const isReadOnly = /** @type {NodeJS.ErrnoException} */ (error).code === 'EROFS';
    const why = isReadOnly
      ? ': its disk is mounted read-only; clone the repository elsewhere'
      : ` (owner uid ${uid}): run as its owner, have it given to you, or clone the repository into a folder of yours`;
    throw new Error(`cannot write to ${folder}${why}`, { cause: error });
  }
}

/** @param {string} command @returns {Promise<string>} the Node that runs the commands */
async function install(command) {
  requireName(root); // also of a clone that was moved after its installation
  const steps = [() => ensureVenv(needs[command]), ensureNode, ensureNodeModules];
  const missing = steps.map((step) => step()).filter(Boolean); // all of them: each may refuse
  if (missing.length > 0) {
    requireWritable(root);
    if (!fs.existsSync(runtimeDir)) requireSpace(root);
    fs.mkdirSync(runtimeDir, { recursive: true });
    requireWritable(runtimeDir);
    await withInstallLock(runtimeDir, say, async () => {
      for (const step of steps) {
        await step()?.(say); // asked again: another start may have done it while we waited
      }
    });
  }
  return findNode();
}

/** @param {string} node @param {string} command @param {string[]} words @returns {Promise<number>} exit status */
function handOver(node, command, words) {
  // Whatever says "node" below (PM2, a test) means this one.
  const env = withPath(environmentOf(command), path.dirname(node));
  const file = proving[command] ? `tests/${proving[command]}.js` : `scripts/${command}.js`;
  const child = spawn(node, [path.join(root, file), ...words], { stdio: 'inherit', env });
  for (const name of endingSignals) process.on(name, () => child.kill(name));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
  });
}

async function main() {
  const [command, ...words] = process.argv.slice(2);
  const known = [...commands, ...Object.keys(proving)];
  if (!known.includes(command)) throw new Error(`usage: node scripts/bootstrap.js ${known.join('|')} [options]`);
  if (command === 'start') parseStartOptions(words); // wrong words are refused before an installation of minutes
  const node = await install(command);
  return handOver(node, command, words);
}

main().then(
  (status) => process.exit(status),
  (error) => {
    console.error(error.message);
    if (error instanceof UsageError) process.exit(2);
    process.exit(error instanceof Interrupted ? 130 : 1);
  },
);
