'use strict';
const path = require('node:path');
const { stateFolder } = require('../../scripts/local/state');
const { fromCaller, UsageError } = require('../../scripts/lib/command-line');
const { flag, requireOneOf, runCommand, text } = require('../../scripts/lib/words');
const { events } = require('./machines/events');
const { proveGrow } = require('./machines/grow');
const { proveFleet, proveOne } = require('./machines/nodes');
const { order, provePages } = require('./machines/pages');
const { proveEvents } = require('./machines/prove-events');
const { mirrors, requireTools } = require('./machines/root');

/** @typedef {import('./machines/nodes').Place & { only: string[], short: boolean }} Place */
/** @type {Record<string, (place: Place) => Promise<number | void>>} */
const parts = { one: proveOne, fleet: proveFleet, grow: proveGrow, pages: provePages, events: proveEvents };
/** What --only may name. @type {Record<string, string[]>} */
const contents = { pages: order, events: Object.keys(events) };

const help = `npm run fleet:test -- --release FILE [--part PART]… [--only NAME]… [--short] [--suite NAME] [--state DIR]

Boots bare machines of namespaces (as root), and makes them nodes as an administrator does. Exit status 1: something failed, or missed its target.

  --release FILE   catalog-ID.tar of npm run fleet -- release
  --part PART      one     user data makes one machine a catalog; a second run changes nothing
                   fleet   npm run fleet -- site makes three machines a fleet; its second run changes nothing
                   grow    one machine becomes five, by the page of the runbook
                   pages   types every page of the runbook on nine machines
                   events  takes machines, deploys and networks from nine under constant load, into results/fleet.md
                   Without it: one and fleet
  --only NAME      of the parts pages and events: only this page or event
  --short          events with a tenth of the load and rounds
  --suite NAME     Debian 13 (trixie, the default), Debian 12 (bookworm) or Ubuntu 24.04 (noble)
  --state DIR      folder of machines and downloads (default .state-machines)
  --help

Events: ${contents.events.join(', ')}`;

const part = {
  type: /** @type {const} */ ('string'),
  multiple: /** @type {const} */ (true),
  default: ['one', 'fleet'],
};
const only = { ...part, default: /** @type {string[]} */ ([]) };
const options = { release: text(), suite: text('trixie'), part, only, short: flag, state: text() };

runCommand('npm run fleet:test', { help, options }, async ({ values }) => {
  for (const name of values.part) requireOneOf('part', name, Object.keys(parts));
  const choice = values.part.flatMap((name) => contents[name] ?? []);
  for (const name of values.only) requireOneOf('only', name, choice);
  const onlyOf = (/** @type {string} */ name) => values.only.filter((each) => contents[name]?.includes(each));
  const idle = values.only.length > 0 && values.part.find((name) => contents[name] && onlyOf(name).length === 0);
  if (idle) throw new UsageError(`--only names nothing of --part ${idle}: leave that part out`);
  requireOneOf('suite', values.suite, Object.keys(mirrors));
  if (!values.release) throw new UsageError('--release is missing: make one with npm run fleet -- release');
  const suite = /** @type {import('./machines/root').Suite} */ (values.suite);
  requireTools(suite);
  const dir = stateFolder(values.state, '.state-machines');
  const [cache, release] = [path.join(dir, 'cache'), fromCaller(values.release)];
  const place = { dir, suite, cache, release, say: console.log, short: values.short };
  let status = 0;
  for (const name of values.part) status = Math.max(status, (await parts[name]({ ...place, only: onlyOf(name) })) ?? 0);
  return status;
});
