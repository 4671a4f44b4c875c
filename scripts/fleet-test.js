'use strict';
const path = require('node:path');
const { stateFolder } = require('./local/state');
const { fromCaller, UsageError } = require('./lib/command-line');
const { requireOneOf, runCommand, text } = require('./lib/words');
const { proveFleet, proveOne } = require('./machines/nodes');
const { mirrors, requireTools } = require('./machines/root');

const parts = { one: proveOne, fleet: proveFleet };

const help = `npm run fleet:test -- --release FILE [--suite trixie|bookworm|noble] [--part PART]… [--state DIR]

Boots bare machines of namespaces (as root). One becomes a whole catalog by node.sh, and others a fleet by npm run fleet -- site from an
administrator's machine. Each second run must change nothing; then what a node promises is checked.

  --release FILE   catalog-ID.tar of npm run fleet -- release
  --suite NAME     Debian 13 (trixie, the default), Debian 12 (bookworm) or Ubuntu 24.04 (noble)
  --part PART      ${Object.keys(parts).join(', ')}; both without it
  --state DIR      folder of machines and downloads (default .state-machines)
  --help`;

const part = {
  type: /** @type {const} */ ('string'),
  multiple: /** @type {const} */ (true),
  default: Object.keys(parts),
};
const options = { release: text(), suite: text('trixie'), part, state: text() };

runCommand('npm run fleet:test', { help, options }, async ({ values }) => {
  for (const name of values.part) requireOneOf('part', name, Object.keys(parts));
  requireOneOf('suite', values.suite, Object.keys(mirrors));
  if (!values.release) throw new UsageError('--release is missing: make one with npm run fleet -- release');
  const suite = /** @type {import('./machines/root').Suite} */ (values.suite);
  requireTools(suite);
  const dir = stateFolder(values.state, '.state-machines');
  const place = { dir, suite, cache: path.join(dir, 'cache'), release: fromCaller(values.release), say: console.log };
  for (const name of values.part) await parts[/** @type {keyof typeof parts} */ (name)](place);
});
