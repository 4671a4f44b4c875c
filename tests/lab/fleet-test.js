'use strict';
const path = require('node:path');
const { stateFolder } = require('../../scripts/local/state');
const { fromCaller, interruptedStatus, untilSignal, UsageError } = require('../../scripts/lib/command-line');
const { option, requireOneOf, runCommand, toggle } = require('../../scripts/lib/words');
const { incidents } = require('./machines/incidents');
const { mirrors, requireTools } = require('./machines/root');
const { order } = require('./machines/runbook');
const { freeNetwork } = require('./machines/use-machines');
const { runLab } = require('./run-lab');

const parts = 'one fleet grow moment moment-three deploy upgrade upgrade-three pages incidents'.split(' ');
/** Names that --only may have. @type {Record<string, string[]>} */
const contents = { pages: order, incidents: Object.keys(incidents) };
/** A play of the site may take half an hour on a host that runs all machines. */
const longestTestMs = 90 * 60_000;

/** @type {import('../../scripts/lib/help').Help} */
const help = {
  about:
    'Boots bare machines of namespaces (as root), and makes them nodes as an administrator does. Exit status 1: something failed, or missed its target.',
  rows: [
    ['--part one', 'user data makes one machine a catalog; a second run changes nothing'],
    ['--part fleet', 'npm run fleet -- site makes three machines a fleet; its second run changes nothing'],
    ['--part grow', 'one machine becomes five, by the page of the runbook'],
    ['--part moment', 'one machine is brought back to a moment before a DROP SCHEMA, and after the loss of its disk'],
    [
      '--part moment-three',
      'the same for three machines with Patroni and an object store, and across a switchover and a failover',
    ],
    ['--part deploy', 'one machine gets a later release under writes, and then a backup of the one before'],
    ['--part upgrade', 'one machine goes from Debian 12 to 13 under writes, by the page of the runbook'],
    ['--part upgrade-three', 'the same for three machines with Patroni, one after the other, under reads and writes'],
    ['--part pages', 'types every page of the runbook on nine machines'],
    ['--part incidents', 'takes machines, deploys and networks from nine under constant load'],
  ],
  more: `Incidents: ${contents.incidents.join(', ')}`,
};

const several = { type: /** @type {const} */ ('string'), multiple: /** @type {const} */ (true) };
const options = {
  release: option('FILE', 'catalog-ID.tar of npm run fleet -- release'),
  before: option('FILE', 'of the part deploy: an earlier catalog-ID.tar'),
  part: { ...several, value: 'PART', about: 'one of the above; without it one and fleet', default: ['one', 'fleet'] },
  only: {
    ...several,
    value: 'NAME',
    about: 'of the parts pages and incidents: only this page or incident',
    default: /** @type {string[]} */ ([]),
  },
  short: toggle('incidents with a tenth of the load and rounds'),
  suite: option('NAME', 'Debian 13 (trixie), Debian 12 (bookworm) or Ubuntu 24.04 (noble)', 'trixie'),
  state: option('DIR', 'folder of machines and downloads (default .state-machines)'),
};

runCommand('npm run fleet:test', { help, options }, async ({ values }) => {
  for (const name of values.part) requireOneOf('part', name, parts);
  const choice = values.part.flatMap((name) => contents[name] ?? []);
  for (const name of values.only) requireOneOf('only', name, choice);
  const onlyOf = (/** @type {string} */ name) => values.only.filter((each) => contents[name]?.includes(each));
  const idle = values.only.length > 0 && values.part.find((name) => contents[name] && onlyOf(name).length === 0);
  if (idle) throw new UsageError(`--only names nothing of --part ${idle}: leave that part out`);
  requireOneOf('suite', values.suite, Object.keys(mirrors));
  if (!values.release) throw new UsageError('--release is missing: make one with npm run fleet -- release');
  if (values.part.includes('deploy') && !values.before)
    throw new UsageError('--before is missing: make an earlier release in a clone of its commit');
  const suite = /** @type {import('./machines/root').Suite} */ (values.suite);
  requireTools(suite);
  await freeNetwork();
  // The kernel ends the machines and their proxies with this process.
  untilSignal().addEventListener('abort', () => process.exit(interruptedStatus));
  const dir = stateFolder(values.state, '.state-machines');
  const [cache, release] = [path.join(dir, 'cache'), fromCaller(values.release)];
  const before = fromCaller(values.before ?? '');
  const place = { dir, suite, cache, release, before, short: Boolean(values.short) };
  for (const name of values.part) {
    const titles = onlyOf(name).map((each) => each.replaceAll('.', '\\.'));
    const pattern = new RegExp(titles.length > 0 ? `^(${titles.join('|')})[: ]` : '');
    const lab = { place, say: console.log };
    const { success, chosen } = await runLab(`./machines/${name}.lab.js`, pattern, lab, longestTestMs);
    if (!success || chosen.length === 0) return 1; // its machines stay for inspection
  }
  return 0;
});
