'use strict';
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { callerFolder, endingSignals, exitWith } = require('./lib/command-line');
const { helpOf } = require('./lib/help');
const { environment, withPath } = require('./lib/environment');
const { venvDir } = require('./lib/runtime');
const { option, refuseKept, requireOneOf, toggle } = require('./lib/words');

const folder = path.join(__dirname, 'fleet');
const playbooks = fs
  .globSync('*.yml', { cwd: folder })
  .map((file) => path.basename(file, '.yml'))
  .filter((name) => /^[a-z]+$/.test(name)); // the others are parts of these, or no playbook

const options = {
  check: toggle('says what a run would change; with --diff, how'),
  diff: toggle('shows each change'),
  limit: option('HOST', 'only these machines'),
  inventory: option('FILE', 'the machines (default inventory/hosts.yml)'),
};
const help = helpOf(
  'npm run fleet -- PLAYBOOK [options of ansible-playbook]',
  {
    about: `Runs a playbook of scripts/fleet on the machines of an inventory: ${playbooks.join(', ')}.`,
    rows: [
      ['site', 'makes machines the nodes of the inventory; a second run changes nothing'],
      ['secrets', 'makes passwords that are missing, beside the inventory'],
      ['release', 'builds releases/catalog-ID.tar of the commit that is checked out, and its SBOM'],
      ['', '-e distribution=trixie (bookworm, noble): only for that one, and smaller'],
      ['deploy', 'that release on every node, one worker at a time; all go back if one fails'],
      ['rollback', "the release before, or -e to=ID of those that 'releases' lists"],
      ['drain', "-e node=NAME: its workers finish what they have and stop; 'undrain' starts them"],
      ['certificate', '-e chain=/PATH/FILE -e key=/PATH/FILE: a new pair on every balancer'],
      ['PLAYBOOK --help', 'all options'],
    ],
  },
  options,
);
/** @returns {Promise<number | void>} exit status of ansible-playbook */
async function main() {
  const [playbook, ...words] = process.argv.slice(2);
  if (!playbook || playbook === '--help') return void console.log(help);
  refuseKept({ name: 'npm run fleet', words: ['PLAYBOOK'], options }, words); // a --check that npm keeps would be a real run
  requireOneOf('playbook', playbook, playbooks);
  const file = path.join(folder, `${playbook}.yml`);
  // A release is built before there is an inventory.
  const inventory = playbook === 'release' ? ['--inventory', 'localhost,'] : [];
  const env = environment('fleet', { ANSIBLE_CONFIG: path.join(folder, 'ansible.cfg') });
  // Ansible refuses a pipe that Node uses too: it does not block.
  const own = process.stdout.isTTY ? 'inherit' : 'pipe';
  const child = spawn(path.join(venvDir, 'bin/ansible-playbook'), [...inventory, ...words, file], {
    cwd: callerFolder(),
    env: withPath(env, path.join(venvDir, 'bin')),
    stdio: [process.stdin.isTTY ? 'inherit' : 'ignore', own, own],
  });
  child.stdout?.pipe(process.stdout);
  child.stderr?.pipe(process.stderr);
  for (const name of endingSignals) process.on(name, () => child.kill(name));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

exitWith(main());
