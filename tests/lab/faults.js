'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { exitStatus, faults, runFaults, summary, totals, writeResults } = require('./faults/run');
const { soak } = require('./faults/soak');
const { interruptedStatus, untilSignal, UsageError, wholeNumber } = require('../../scripts/lib/command-line');
const { stopStartedWith, stateVariable } = require('../../scripts/local/leftovers');
const { requireFree } = require('../../scripts/local/ports');
const { lockState, openState, stateFolder } = require('../../scripts/local/state');
const { flag, runCommand, text } = require('../../scripts/lib/words');
const { openRig } = require('./testbed/rig');

/** Ports that a run uses, from --port on. */
const portCount = 10;
/** A week; timers take at most 35,791. */
const longestMinutes = 10_080;

const help = `Makes every fault (--list) on a real chain under constant traffic, and measures what clients notice.

Usage: npm run faults -- [ID…] [--short] [--minutes M] [--every M] [--products N] [--rate R] [--port P] [--state DIR]

  ID              R2, or R for all whose id begins so (default: all)
  soak            hours at 60 % of the breaking point, with a random fault now and then
  --minutes M     duration of a soak (default 60)
  --every M       minutes between two faults of a soak (default 5)
  --short         a sixth of every duration: does it work, not how well
  --products N    products of the generated catalog (default 10000)
  --rate R        requests a second of the constant traffic (default 1000)
  --port P        first of ten free ports (default 18080)
  --state DIR     folder of its servers and logs (default .state-faults)
  --list          prints the faults and stops
  --help          this text

Writes results/faults.json. Exit status 1: a target was missed; 2: none, but a fault could not be made here.`;

/** @param {string[]} names @returns {import('./faults/run').Fault[]} */
function chosen(names) {
  const matches = (/** @type {string} */ id, /** @type {string} */ name) =>
    id === name || id.replace(/\d.*/, '') === name || id.replace(/[a-z]$/, '') === name;
  const unknown = names.find((name) => !faults.some(({ id }) => matches(id, name)));
  if (unknown) throw new UsageError(`no fault "${unknown}": npm run faults -- --list shows them`);
  return names.length ? faults.filter(({ id }) => names.some((name) => matches(id, name))) : faults;
}

/**
 * Stops the processes of a killed run and deletes its data. Refuses when another run is active, a port is taken, or the
 * folder holds anything else.
 * @param {string} dir @param {number} port
 */
async function emptyFolder(dir, port) {
  const sign = path.join(dir, 'faults');
  if (fs.existsSync(dir) && !fs.existsSync(sign) && fs.readdirSync(dir).length > 0)
    throw new UsageError(
      `${dir} is not a folder of npm run faults, which would delete it: choose an empty one with --state DIR`,
    );
  const state = openState(dir);
  await lockState(state);
  if ((await stopStartedWith(stateVariable, dir)) > 0) console.error('stopped the processes of an earlier run');
  const ports = Array.from({ length: portCount }, (_, at) => port + at);
  await requireFree(ports.map((number) => ({ option: 'port', host: '0.0.0.0', number })));
  fs.writeFileSync(sign, '');
  const kept = [sign, state.startLock];
  for (const place of fs.readdirSync(dir).map((name) => path.join(dir, name)))
    if (!kept.includes(place)) fs.rmSync(place, { recursive: true });
}

/** Begun by a signal; it ends this process. @type {Promise<never> | undefined} */
let stopping;

const config = {
  ...{ help, failed: 2, words: ['[ID…]'], actions: { soak: [] } },
  options: {
    ...{ short: flag, list: flag, state: text(), port: text('18080') },
    ...{ products: text('10000'), rate: text('1000'), minutes: text('60'), every: text('5') },
  },
};

/** @param {import('../../scripts/lib/words').Typed<typeof config.options>} typed @returns {Promise<number | void>} exit status */
async function main({ values, positionals }) {
  const soaking = positionals[0] === 'soak';
  const asked = soaking ? [] : chosen(positionals);
  if (values.list)
    return asked.forEach(({ id, title, done, target }) =>
      console.log(`${id.padEnd(5)} ${title}: ${done}; target: ${target}`),
    );
  const number = (/** @type {'minutes' | 'every' | 'products' | 'rate' | 'port'} */ name, /** @type {number} */ max) =>
    wholeNumber(name, values[name], max);
  const [minutes, everyMinutes] = [number('minutes', longestMinutes), number('every', longestMinutes)];
  const [products, rate, port] = [number('products', 10_000_000), number('rate', 1_000_000), number('port', 65526)];
  const { short } = values;
  const dir = stateFolder(values.state, '.state-faults');
  await emptyFolder(dir, port);
  process.env[stateVariable] = dir;
  untilSignal().addEventListener('abort', () => {
    console.error('faults: stopping');
    const end = () => process.exit(interruptedStatus);
    stopping = stopStartedWith(stateVariable, dir).then(end, end);
  });
  const rig = await openRig({ dir, port, products, rate, scale: short ? 1 / 6 : 1, say: console.error });
  try {
    const run = { date: new Date().toISOString(), short, rate, products };
    const keep = (/** @type {import('./faults/run').Result[]} */ results) => writeResults(results, run);
    const results = soaking ? [await soak(rig, { minutes, everyMinutes })] : await runFaults(rig, asked, keep);
    const file = keep(results);
    if (soaking) console.error(summary(results));
    console.log(`${totals(results)}. Every measured value is in ${path.relative(process.cwd(), file)}`);
    return exitStatus(results);
  } finally {
    await rig.close(); // the folder stays until the next run, for its logs
    const left = await stopStartedWith(stateVariable, dir);
    if (left > 0) console.error(`stopped ${left} processes that faults left behind`);
  }
}

runCommand('npm run faults', config, (typed) => main(typed).finally(() => stopping));
