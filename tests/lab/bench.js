'use strict';
const { cold } = require('./bench/cold');
const { datasets } = require('./bench/dataset');
const { hot } = require('./bench/hot');
const { load } = require('./bench/load');
const { hasWrk } = require('./bench/measure');
const { runParts } = require('./bench/report');
const { interrupt } = require('./bench/running');
const { search } = require('./bench/search');
const { writes } = require('./bench/writes');
const { interruptedStatus, untilSignal, UsageError, wholeNumber } = require('../../scripts/lib/command-line');
const { stateVariable, stopStartedWith } = require('../../scripts/local/leftovers');
const { lockState, openState } = require('../../scripts/local/state');
const { option, requireOneOf, runCommand } = require('../../scripts/lib/words');

const parts = { load, hot, cold, search, writes };
/** @typedef {keyof typeof parts} PartName */

/** A part that is being stopped ends by itself within this time; then the rest is stopped at once. */
const unwindMs = 8000;

/** @type {import('../../scripts/lib/help').Help} */
const help = {
  about: 'Measures this service against baselines and limits in one run, and says which targets are met.',
  rows: [['PART', `${Object.keys(parts).join(', ')} (default: all)`]],
  more:
    'Needs taskset and wrk (Debian: util-linux, wrk), and root for nginx. Writes results/bench/TIME.json.\n' +
    'Exit status: 0 all targets met, 1 a target was missed, 2 a target could not be measured or a part failed.',
};

const say = (/** @type {string} */ line) => console.error(`bench: ${line}`);

untilSignal().addEventListener('abort', () => {
  say('stopping what runs');
  const end = () => process.exit(interruptedStatus);
  setTimeout(() => void stopStartedWith(stateVariable, datasets).then(end, end), unwindMs).unref();
  interrupt();
});

const config = {
  help,
  failed: 2,
  words: ['[PART…]'],
  options: {
    products: option('N', 'size of the catalog', '1000011'),
    rounds: option('R', 'how often each server is measured, in turn; load measures once', '3'),
    seconds: option('S', 'length of each measurement', '4'),
  },
};

runCommand('npm run bench', config, async ({ values, positionals }) => {
  for (const name of positionals) requireOneOf('part', name, Object.keys(parts));
  const names = /** @type {PartName[]} */ (positionals.length > 0 ? positionals : Object.keys(parts));
  const options = {
    products: wholeNumber('products', values.products, 100_000_000),
    rounds: wholeNumber('rounds', values.rounds, 1000),
    seconds: wholeNumber('seconds', values.seconds, 240),
  };
  if (names.some((name) => name !== 'load') && !hasWrk())
    throw new UsageError('wrk is missing: apt-get install wrk, or measure without it: npm run bench -- load');
  const state = openState(datasets);
  await lockState(state);
  process.env[stateVariable] = datasets;
  if ((await stopStartedWith(stateVariable, datasets)) > 0) say('stopped what an earlier run left behind');
  try {
    const chosen = Object.fromEntries(names.map((name) => [name, parts[name]]));
    return await runParts(chosen, { ...options, say });
  } finally {
    await stopStartedWith(stateVariable, datasets); // servers that were still starting when a part failed
  }
});
