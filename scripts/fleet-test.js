'use strict';
const path = require('node:path');
const { stateFolder } = require('./local/state');
const { fromCaller, UsageError } = require('./lib/command-line');
const { requireOneOf, runCommand, text } = require('./lib/words');
const { proveGrow } = require('./machines/grow');
const { proveFleet, proveOne } = require('./machines/nodes');
const { order, provePages } = require('./machines/pages');
const { mirrors, requireTools } = require('./machines/root');

/** @type {Record<string, (place: Parameters<typeof provePages>[0]) => Promise<number | void>>} */
const parts = { one: proveOne, fleet: proveFleet, pages: provePages, grow: proveGrow };

const help = `npm run fleet:test -- --release FILE [--suite trixie|bookworm|noble] [--part PART]… [--page NAME]… [--state DIR]

Boots bare machines of namespaces (as root). One becomes a whole catalog by node.sh, and others a fleet by npm run fleet -- site from an
administrator's machine. Each second run must change nothing; then what a node promises is checked. The part pages types every page of
scripts/runbook on a fleet of nine, as written; grow makes one machine five. Exit status 1: a page failed.

  --release FILE   catalog-ID.tar of npm run fleet -- release
  --suite NAME     Debian 13 (trixie, the default), Debian 12 (bookworm) or Ubuntu 24.04 (noble)
  --part PART      ${Object.keys(parts).join(', ')}; the first two without it
  --page NAME      of the part pages, such as deploy.md; all without it
  --state DIR      folder of machines and downloads (default .state-machines)
  --help`;

const part = {
  type: /** @type {const} */ ('string'),
  multiple: /** @type {const} */ (true),
  default: ['one', 'fleet'],
};
const page = { ...part, default: /** @type {string[]} */ ([]) };
const options = { release: text(), suite: text('trixie'), part, page, state: text() };

runCommand('npm run fleet:test', { help, options }, async ({ values }) => {
  for (const name of values.part) requireOneOf('part', name, Object.keys(parts));
  for (const name of values.page) requireOneOf('page', name, order);
  requireOneOf('suite', values.suite, Object.keys(mirrors));
  if (!values.release) throw new UsageError('--release is missing: make one with npm run fleet -- release');
  const suite = /** @type {import('./machines/root').Suite} */ (values.suite);
  requireTools(suite);
  const dir = stateFolder(values.state, '.state-machines');
  const [cache, release] = [path.join(dir, 'cache'), fromCaller(values.release)];
  const place = { dir, suite, cache, release, say: console.log, pages: values.page };
  let status = 0;
  for (const name of values.part) status = Math.max(status, (await parts[name](place)) ?? 0);
  return status;
});
