'use strict';
const path = require('node:path');
const { parseArgs } = require('node:util');
const { generate } = require('./generate');
const { createProgress } = require('./progress');

const help = `Writes a product catalog as six CSV files and manifest.json (rows of each file, and what a loader
must make of them). The same options give the same bytes on every machine.

Usage: npm run generate -- OUT --products N [--seed S] [--dirty]

  OUT             folder, made when missing; files of an earlier run are overwritten
  --products N    how many products; a million are 27 million rows and 2.3 GB
  --seed S        another number, another catalog (default 1)
  --dirty         with every fault that the loader repairs or rejects (at least 400 products;
                  below 1 % of each file from 10,000 on)
  --help          this text
`;
/** Below it the faults are too close to each other to be judged apart. */
const minDirtyProducts = 400;
/** Sku ids stay well below 2147483647 with their gaps. */
const maxProducts = 100_000_000;
const maxSeed = 2 ** 32 - 1;

/** A wrong command line: told in one line, exit status 2. */
class UsageError extends Error {}

/** @param {string} name @param {string} text @param {number} min @param {number} max */
function integer(name, text, min, max) {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        products: { type: 'string' },
        seed: { type: 'string', default: '1' },
        dirty: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message);
  }
}

/** @param {string[]} args */
async function main(args) {
  const { values, positionals } = parse(args);
  if (values.help) return void process.stdout.write(help);
  if (positionals.length !== 1) throw new UsageError('name one folder to write to');
  if (values.products === undefined) throw new UsageError('say how many products: --products N');
  const { dirty } = values;
  // npm moves to the repository; a relative folder is meant from where the person stands.
  const out = path.resolve(process.env.INIT_CWD ?? process.cwd(), positionals[0]);
  const least = dirty ? minDirtyProducts : 1;
  const products = integer('--products', values.products, least, maxProducts);
  const seed = integer('--seed', values.seed, 0, maxSeed);
  const progress = createProgress('products', products);
  const manifest = await generate({ out, products, seed, dirty, onBlock: progress.update });
  const files = Object.values(manifest.files);
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  progress.end(`${rows.toLocaleString('en-US')} rows, ${(bytes / 1e6).toFixed(1)} MB in ${out}`);
}

main(process.argv.slice(2)).catch((error) => {
  const usage = error instanceof UsageError;
  process.stderr.write(`generate: ${error.message}${usage ? '; see --help' : ''}\n`);
  process.exitCode = usage ? 2 : 1;
});
