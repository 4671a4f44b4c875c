'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { stateFolder } = require('./local/state');
const { requireOneOf, runCommand, text } = require('./lib/words');
const { proveFleet } = require('./provision/proof/fleet');
const { proveAll, proveRole, roles } = require('./provision/proof/prove');
const { makeBare, makeRoot, mirrors, requireTools } = require('./provision/proof/root');
const { Machine } = require('./provision/proof/machine');

const help = `npm run provision:test -- [--suite bookworm|noble] [--role ROLE]… [--state DIR]

Makes bare machines of namespaces (as root) and runs node.sh on each twice. It boots the role "all" with systemd, checks
that it serves, and follows the runbook on it. It boots the other four side by side with further machines, and follows the
pages that need a fleet over ssh from an administrator's machine.

  --suite NAME   Debian 12 (bookworm, the default) or Ubuntu 24.04 (noble)
  --role ROLE    ${roles.join(', ')}; all five without it
  --state DIR    folder of machines and downloads (default .state-provision)
  --help`;

const role = { type: /** @type {const} */ ('string'), multiple: /** @type {const} */ (true), default: roles };
const options = { suite: text('bookworm'), role, state: text() };

runCommand('npm run provision:test', { help, options }, async ({ values }) => {
  for (const name of values.role) requireOneOf('role', name, roles);
  requireOneOf('suite', values.suite, Object.keys(mirrors));
  const suite = /** @type {import('./provision/proof/root').Suite} */ (values.suite);
  const state = stateFolder(values.state, '.state-provision');
  requireTools(suite);
  const cache = path.join(state, 'cache', suite);
  /** @type {Record<string, Machine>} */
  const machines = {};
  for (const name of values.role) {
    const dir = path.join(state, `${suite}-${name}`);
    makeRoot(dir, suite, cache);
    const machine = new Machine(dir, cache);
    await (name === 'all' ? proveAll(machine) : proveRole(machine, name));
    machines[name] = machine;
  }
  const { all, ...single } = machines;
  if (Object.keys(single).length === roles.length - 1) {
    const bare = new Machine(path.join(state, `${suite}-bare`), cache);
    makeBare(bare.root, suite, cache);
    await proveFleet({ ...single, bare }, path.join(state, 'admin'), console.log);
    fs.rmSync(bare.root, { recursive: true });
  }
  // After a failure they stay for inspection.
  for (const machine of Object.values(machines)) fs.rmSync(machine.root, { recursive: true });
});
