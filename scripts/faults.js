'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { catalogue } = require('./faults/catalogue');
const { writeReport } = require('./faults/report');
const { openRig } = require('./faults/rig');
const { exitStatus, runFaults } = require('./faults/run');
const { soak } = require('./faults/soak');
const { stateVariable, stopStartedWith } = require('./lib/leftovers');
const { requireFree } = require('./lib/ports');
const { lockState } = require('./lib/state-lock');
const { openState, stateFolder } = require('./lib/state');
const { exitWith, interruptedStatus, untilSignal, UsageError, wholeNumber } = require('./lib/command-line');
const { parseWords } = require('./lib/words');

/** That a run listens on, from --port on. */
const portCount = 10;
/** A week; timers take at most 35,791. */
const longestMinutes = 10_080;

const help = `Makes every fault (--list) for real, under constant load, and measures what callers notice.

Usage: npm run faults -- [ID…] [--short] [--minutes M] [--every M] [--products N] [--rate R] [--port P] [--state DIR]

  ID              R2, or R for all whose id begins so (default: all)
  soak            instead of faults one by one: 60 % of the breaking point for hours, and a random one now and then
  --minutes M     how long a soak lasts (default 60)
  --every M       minutes between two faults of a soak (default 5)
  --short         a sixth of every duration: does it work, not how well
  --products N    in the generated catalog (default 10000)
  --rate R        requests a second of the constant load (default 1000)
  --port P        first of ten free ports (default 18080)
  --state DIR     folder of its servers and logs (default .state-faults)
  --list          the faults, and stop
  --help          this text

Writes results/faults.json and results/faults.md. Ends with status 1 when a bar is missed, else
with 2 when a fault could not be made or measured here.`;

/** @param {string[]} names @returns {import('./faults/run').Fault[]} */
function chosen(names) {
  const matches = (/** @type {string} */ id, /** @type {string} */ name) =>
    id === name || id.replace(/\d.*/, '') === name || id.replace(/[a-z]$/, '') === name;
  const unknown = names.find((name) => !catalogue.some(({ id }) => matches(id, name)));
  if (unknown) throw new UsageError(`no fault "${unknown}": npm run faults -- --list shows them`);
  if (names.length === 0) return catalogue;
  return catalogue.filter(({ id }) => names.some((name) => matches(id, name)));
}

/**
 * Stops what a killed run left behind and forgets its data; refuses when another one runs, a port is taken, or the folder holds
 * anything else: it is deleted.
 * @param {string} dir @param {number} port
 */
async function beginAnew(dir, port) {
  const sign = path.join(dir, 'faults');
  if (fs.existsSync(dir) && !fs.existsSync(sign) && fs.readdirSync(dir).length > 0)
    throw new UsageError(
      `${dir} is no folder of npm run faults, which would delete it: choose an empty one with --state DIR`,
    );
  const state = openState(dir);
  await lockState(state);
  if ((await stopStartedWith(stateVariable, dir)) > 0) console.error('stopped what an earlier run left behind');
  await requireFree(
    Array.from({ length: portCount }, (_, at) => ({ option: 'port', host: '0.0.0.0', number: port + at })),
  );
  fs.rmSync(dir, { recursive: true, force: true });
  fs.mkdirSync(dir, { mode: 0o700 });
  fs.writeFileSync(sign, '');
}

/** Begun by a signal, and the end of this process. @type {Promise<never> | undefined} */
let stopping;

/** @param {string} dir */
function stopAtSignal(dir) {
  untilSignal().addEventListener('abort', () => {
    console.error('faults: stopping what runs');
    const end = () => process.exit(interruptedStatus);
    stopping = stopStartedWith(stateVariable, dir).then(end, end);
  });
}

/** @returns {Promise<number | void>} exit status */
async function main() {
  const { values, positionals } = parseWords('npm run faults', {
    words: ['[ID…]'],
    actions: { soak: [] },
    options: {
      short: { type: 'boolean', default: false },
      products: { type: 'string', default: '10000' },
      rate: { type: 'string', default: '1000' },
      port: { type: 'string', default: '18080' },
      state: { type: 'string' },
      minutes: { type: 'string', default: '60' },
      every: { type: 'string', default: '5' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void console.log(help);
  const soaking = positionals[0] === 'soak';
  const faults = soaking ? [] : chosen(positionals);
  if (values.list) return faults.forEach(({ id, title }) => console.log(`${id.padEnd(5)} ${title}`));
  const minutes = wholeNumber('minutes', values.minutes, longestMinutes);
  const everyMinutes = wholeNumber('every', values.every, longestMinutes);
  const dir = stateFolder(values.state, '.state-faults');
  const port = wholeNumber('port', values.port, 65526);
  await beginAnew(dir, port);
  process.env[stateVariable] = dir;
  stopAtSignal(dir);
  const rig = await openRig({
    dir,
    port,
    products: wholeNumber('products', values.products, 10_000_000),
    rate: wholeNumber('rate', values.rate, 1_000_000),
    scale: values.short ? 1 / 6 : 1,
    say: (line) => console.error(line),
  });
  try {
    const { short, rate, products } = values;
    const report = (/** @type {import('./faults/run').Result[]} */ results) =>
      writeReport(results, { date: new Date(), short, rate, products });
    const results = soaking ? [await soak(rig, { minutes, everyMinutes })] : await runFaults(rig, faults, report);
    console.log(report(results));
    return exitStatus(results);
  } finally {
    await rig.close(); // the folder stays until the next run: its logs tell why
    const left = await stopStartedWith(stateVariable, dir);
    if (left > 0) console.error(`${left} processes were left behind by faults, and are stopped`);
  }
}

exitWith(
  main().finally(() => stopping),
  { failed: 2 },
);
