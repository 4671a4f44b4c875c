'use strict';
const { strict: assert } = require('node:assert');
const { blocksOf, pages } = require('./runbook');
const { claims } = require('./claims');

const nodeScript = '/srv/catalog/scripts/provision/node.sh';
/** The options of each role, in a network that these machines do not have. */
const options = /** @type {Record<string, string>} */ ({
  db: '--role db --address 10.0.0.20 --network 10.0.0.0/24',
  cache: '--role cache --address 10.0.0.40',
  app: '--role app --address 10.0.0.31 --database 10.0.0.20 --cache 10.0.0.40 --workers 2',
  lb: '--role lb --address 10.0.0.10 --upstreams 10.0.0.31:3030,10.0.0.31:3031',
  all: '--role all --workers 2',
});
const roles = Object.keys(options);
/** As if copied from the database's node; "all" and "db" generate theirs. */
const passwords = { API_PASSWORD: 'proof-'.repeat(4), REDIS_PASSWORD: 'proof-'.repeat(5) };

/** @typedef {import('./machine').Machine} Machine */

/** Everything that a run could change: names, sizes, owners, modes and times of all files. @param {Machine} machine */
const filesOf = (machine) =>
  machine.must(
    `find / -xdev \\( -path /proc -o -path /dev -o -path /root -o -path /tmp -o -path /run -o -path /var/cache/apt \\) -prune -o -printf '%p %s %u:%g %m %T@\\n' | sort`,
  );

/**
 * Checks, while nothing runs, that a dry run and a second run change no file.
 * @param {Machine} machine @param {string} role
 */
function proveRole(machine, role) {
  const env = ['app', 'cache'].includes(role) ? passwords : {};
  const command = `${nodeScript} ${options[role]}`;
  const bare = filesOf(machine);
  const plan = machine.must(`${command} --dry-run`, env);
  assert.match(plan, new RegExp(`^${role}: [1-9][0-9]* changes would be made$`, 'm'));
  assert.equal(filesOf(machine), bare, 'a dry run changed a file');
  const first = machine.must(command, env);
  assert.match(first, new RegExp(`^${role}: [1-9][0-9]* changes$`, 'm'));
  const made = filesOf(machine);
  assert.match(machine.must(command), new RegExp(`^${role}: 0 changes$`, 'm'));
  assert.equal(filesOf(machine), made, 'a second run changed a file');
  console.log(`${role}: made by ${/(\d+) changes$/m.exec(first)?.[1]} changes, then 0 changes`);
}

/** @param {Machine} machine */
async function proveAll(machine) {
  proveRole(machine, 'all');
  try {
    await machine.boot();
    console.log(`booted: ${machine.must(nodeScript).trim().split('\n').at(-1)}`);
    assert.match(machine.must(nodeScript), /^all: 0 changes$/m);
    for (const [claim, check] of Object.entries(claims)) {
      await check((script) => machine.must(script));
      console.log(`ok    ${claim}`);
    }
    for (const page of pages()) followPage(machine, page);
  } finally {
    await machine.stop();
  }
}

/** The drills first, then the commands of every node in the order of the page. @param {Machine} machine @param {string} page */
function followPage(machine, page) {
  const blocks = blocksOf(page);
  const drills = blocks.filter(({ mark }) => mark === 'drill');
  const steps = blocks.filter(({ mark }) => mark === 'run');
  // As a user types them: the last command of a pipe sets the status.
  for (const { commands } of [...drills, ...steps]) machine.must(`set +o pipefail\n${commands}`);
  const left = blocks.length - drills.length - steps.length;
  console.log(`ok    runbook/${page}: ${steps.length} blocks run${left ? `, ${left} need a fleet or a stack` : ''}`);
}

module.exports = { proveAll, proveRole, roles };
