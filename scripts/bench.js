'use strict';
const { cold } = require('./bench/cold');
const { datasets } = require('./bench/dataset');
const { hot } = require('./bench/hot');
const { lists } = require('./bench/lists');
const { load } = require('./bench/load');
const { hasWrk } = require('./bench/measure');
const { mix } = require('./bench/mix');
const { partText, summaryText, writeReport } = require('./bench/report');
const { watchStolen } = require('./bench/resources');
const { interrupt, interrupted, stopAll } = require('./bench/running');
const { search } = require('./bench/search');
const { steady } = require('./bench/steady');
const { writes } = require('./bench/writes');
const { exitStatus, verdict, withErrors } = require('./bench/targets');
const { interruptedStatus, textOf, untilSignal, UsageError, wholeNumber } = require('./lib/command-line');
const { stateVariable, stopStartedWith } = require('./local/leftovers');
const { machine } = require('./lib/machine');
const { lockState, openState } = require('./local/state');
const { requireOneOf, runCommand, text } = require('./lib/words');
/** @import { Run } from './bench/report' */

const parts = { load, hot, cold, lists, mix, steady, search, writes };
/** @typedef {keyof typeof parts} PartName */

/** A part that is being stopped ends by itself within this time; then the rest is stopped at once. */
const unwindMs = 8000;

const help = `Measures this service against baselines and limits in one run, and says which targets are met.

Usage: npm run bench -- [PART…] [--products N] [--rounds R] [--seconds S]

  PART            ${Object.keys(parts).join(', ')} (default: all)
  --products N    size of the catalog (default 1000011)
  --rounds R      how often each server is measured, in turn (default 3); load and steady measure once
  --seconds S     length of each measurement (default 4); steady takes 15 times as long
  --help          this text

Needs taskset and wrk (Debian: util-linux, wrk), and root for nginx.
Writes results/bench/TIME.json and TIME.md. Exit status: 0 all targets met, 1 a target was missed, 2 a target could not be
measured or a part failed.`;

const say = (/** @type {string} */ line) => console.error(`bench: ${line}`);

/**
 * One part after the other. A part that fails does not lose what the others measured.
 * @param {PartName[]} names @param {Pick<Run, 'products' | 'rounds' | 'seconds'>} options
 * @returns {Promise<number>} exit status
 */
async function runParts(names, options) {
  /** @type {Run} */
  const run = { machine: machine(), date: new Date().toISOString(), ...options, parts: [] };
  /** @type {string[]} */
  const failed = [];
  let file = 'nothing was measured';
  for (const name of names) {
    if (interrupted.aborted) break;
    const stolen = watchStolen();
    try {
      const measured = await parts[name]({ ...options, say: (line) => say(`${name}: ${line}`) });
      const part = { ...withErrors(measured), stolenPercent: stolen() };
      run.parts.push(part);
      file = writeReport(run);
      console.log(`${partText(part)}\n`);
    } catch (error) {
      if (interrupted.aborted) break;
      failed.push(name);
      say(`${name} failed: ${textOf(/** @type {Error} */ (error))}`);
    } finally {
      await stopAll();
    }
  }
  if (interrupted.aborted) return interruptedStatus;
  if (failed.length > 0) console.log(`failed parts: ${failed.join(', ')}`);
  console.log(`${summaryText(run)}\n${file}`);
  return exitStatus(
    run.parts.flatMap(({ targets }) => targets.map(verdict)),
    failed,
  );
}

untilSignal().addEventListener('abort', () => {
  say('stopping what runs');
  const end = () => process.exit(interruptedStatus);
  setTimeout(() => void stopStartedWith(stateVariable, datasets).then(end, end), unwindMs).unref();
  interrupt();
});

const config = {
  ...{ help, failed: 2, words: ['[PART…]'] },
  options: { products: text('1000011'), rounds: text('3'), seconds: text('4') },
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
    return await runParts(names, options);
  } finally {
    await stopStartedWith(stateVariable, datasets); // servers that were still starting when a part failed
  }
});
