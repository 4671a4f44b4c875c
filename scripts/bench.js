'use strict';
const path = require('node:path');
const { withErrors } = require('./bench/bars');
const { cold } = require('./bench/cold');
const { compare } = require('./bench/compare');
const { compression } = require('./bench/compression');
const { eyes } = require('./bench/eyes');
const { growth } = require('./bench/growth');
const { hot } = require('./bench/hot');
const { lists } = require('./bench/lists');
const { load } = require('./bench/load');
const { memory } = require('./bench/memory');
const { mix } = require('./bench/mix');
const { publish } = require('./bench/readme');
const { defaults, exitStatus, readResults, resultsFolder, writeReport } = require('./bench/report');
const { interrupt, interrupted, stopAll } = require('./bench/running');
const { datasets } = require('./bench/dataset');
const { stampede } = require('./bench/stampede');
const { steady } = require('./bench/steady');
const { watchStolen } = require('./bench/resources');
const { hasWrk } = require('./bench/wrk');
const { stateVariable, stopStartedWith } = require('./lib/leftovers');
const { lockState } = require('./lib/state-lock');
const { openState } = require('./lib/state');
const {
  exitWith,
  fromCaller,
  interruptedStatus,
  textOf,
  untilSignal,
  UsageError,
  wholeNumber,
} = require('./lib/command-line');
const { parseWords, requireOneOf } = require('./lib/words');

const parts = { load, memory, hot, cold, lists, growth, mix, steady, stampede, compression, eyes };
/** @typedef {keyof typeof parts} PartName */

/** The parts that ask without wrk. */
const withoutWrk = ['load', 'memory', 'stampede'];
/** A part that is being stopped fails by itself, in order; what is left then is stopped at once. */
const unwindMs = 8000;
const latest = path.join(resultsFolder, 'bench.json');

const help = `Measures this service against limits and peers in one run, and says which bars it misses.

Usage: npm run bench -- [PART…] [--products N] [--rounds R] [--seconds S]
       npm run bench -- compare OLD.json     the last results against older ones
       npm run bench -- readme               writes the last results into both READMEs

  PART            ${Object.keys(parts).join(', ')} (default: all)
  --products N    size of the catalog (default 1000011)
  --rounds R      how often each contestant is measured, in turn (default 3); load and memory
                  measure once, steady minutes
  --seconds S     of each measurement of the others but stampede (default 4)
  --help          this text

Needs taskset and wrk (Debian: util-linux, wrk); the Go peer is measured where Go is installed.
Writes results/bench.json, bench.md and bench.svg. Ends with status 1 when a bar is missed or has regressed, 2 when
something could not be measured.`;

/** @typedef {{ products: number, rounds: number, seconds: number }} Options */

/** @param {string} older @returns {number} exit status */
function runCompare(older) {
  const { text, regressed } = compare(readResults(older), readResults(latest));
  console.log(`${text}\n\n${regressed === 0 ? 'nothing regressed' : `${regressed} regressed`}`);
  return regressed > 0 ? 1 : 0;
}

/**
 * One part after the other. A part that fails says so and does not lose what the others measured.
 * @param {PartName[]} names @param {Options} options
 * @returns {Promise<number>} exit status
 */
async function runParts(names, options) {
  let text = '';
  /** @type {string[]} */
  const missed = [];
  /** @type {string[]} bars, and parts that failed */
  const unmeasured = [];
  for (const name of names) {
    if (interrupted.aborted) break;
    const stolen = watchStolen();
    try {
      const part = withErrors(await parts[name]({ ...options, say: (line) => console.error(`${name}: ${line}`) }));
      const run = { ...options, date: new Date(), stolenPercent: stolen() };
      const report = writeReport(part, run);
      text = report.text;
      missed.push(...report.missed);
      unmeasured.push(...report.unmeasured);
    } catch (error) {
      if (interrupted.aborted) continue;
      unmeasured.push(name);
      console.error(`bench: ${name}: ${textOf(/** @type {Error} */ (error))}`);
    } finally {
      await stopAll();
    }
  }
  if (interrupted.aborted) return interruptedStatus;
  console.log(text);
  if (unmeasured.length > 0) console.error(`bench: could not measure ${unmeasured.join('; ')}`);
  return exitStatus(missed, unmeasured);
}

/** @returns {Promise<number | void>} exit status */
async function main() {
  const { values, positionals } = parseWords('npm run bench', {
    words: ['[PART…]'],
    actions: { compare: ['OLD.json'], readme: [] },
    options: {
      products: { type: 'string', default: String(defaults.products) },
      rounds: { type: 'string', default: String(defaults.rounds) },
      seconds: { type: 'string', default: String(defaults.seconds) },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void console.log(help);
  const [command, ...rest] = positionals;
  if (command === 'compare') return runCompare(fromCaller(rest[0]));
  if (command === 'readme') return publish(latest);
  for (const name of positionals) requireOneOf('part', name, Object.keys(parts));
  const names = /** @type {PartName[]} */ (command ? positionals : Object.keys(parts));
  if (names.some((name) => !withoutWrk.includes(name)) && !hasWrk()) {
    throw new UsageError(
      `wrk is missing: apt-get install wrk, or measure without it: npm run bench -- ${withoutWrk.join(' ')}`,
    );
  }
  const state = openState(datasets);
  await lockState(state);
  process.env[stateVariable] = datasets;
  if ((await stopStartedWith(stateVariable, datasets)) > 0)
    console.error('bench: stopped what an earlier run left behind');
  try {
    return await runParts(names, {
      products: wholeNumber('products', values.products, 100_000_000),
      rounds: wholeNumber('rounds', values.rounds, 1000),
      seconds: wholeNumber('seconds', values.seconds, 3600),
    });
  } finally {
    await stopStartedWith(stateVariable, datasets); // what a part was still starting when it failed
  }
}

untilSignal().addEventListener('abort', () => {
  console.error('bench: stopping what runs');
  const end = () => process.exit(interruptedStatus);
  setTimeout(() => void stopStartedWith(stateVariable, datasets).then(end, end), unwindMs).unref();
  interrupt();
});

exitWith(main(), { failed: 2 });
