'use strict';
const { parseArgs } = require('node:util');
const { cold } = require('./bench/cold');
const { eyes } = require('./bench/eyes');
const { hot } = require('./bench/hot');
const { load } = require('./bench/load');
const { writeReport } = require('./bench/report');
const { hasWrk } = require('./bench/wrk');

const parts = { load, hot, cold, eyes };
/** @typedef {keyof typeof parts} PartName */

const help = `Measures this service against limits and peers in one run, and says which bars it misses.

Usage: npm run bench -- [PART…] [--products N] [--rounds R] [--seconds S]

  PART            load, hot, cold or eyes (default: all)
  --products N    size of the catalog (default 1000011)
  --rounds R      how often each contestant is measured, in turn (default 3)
  --seconds S     of each measurement (default 5)
  --help          this text

Needs taskset and wrk (Debian: util-linux, wrk); the Go peer is measured where Go is installed.
Writes results/bench.json and results/bench.md. Ends with status 1 when a bar is missed.
`;

/** @param {string} text @param {string} name */
function wholeNumber(text, name) {
  if (/^[1-9][0-9]*$/.test(text)) return Number(text);
  throw new Error(`--${name} must be a whole number above 0, not "${text}"`);
}

/** @param {string[]} words */
async function main(words) {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      products: { type: 'string', default: '1000011' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '5' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(help);
  const unknown = positionals.find((name) => !Object.hasOwn(parts, name));
  if (unknown) throw new Error(`no part "${unknown}": use ${Object.keys(parts).join(', ')}`);
  const options = {
    products: wholeNumber(values.products, 'products'),
    rounds: wholeNumber(values.rounds, 'rounds'),
    seconds: wholeNumber(values.seconds, 'seconds'),
    say: (/** @type {string} */ line) => console.error(line),
  };
  const names = positionals.length > 0 ? positionals : Object.keys(parts);
  if (names.some((name) => name !== 'load') && !hasWrk()) {
    throw new Error(
      'wrk is missing: apt-get install wrk, or measure only the loader: npm run bench -- load',
    );
  }
  const measured = [];
  for (const name of names) measured.push(await parts[/** @type {PartName} */ (name)](options));
  const { text, missed } = writeReport(measured, { products: options.products, date: new Date() });
  console.log(text);
  process.exitCode = missed > 0 ? 1 : 0;
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`bench: ${error.message}`);
  process.exitCode = 2;
});
