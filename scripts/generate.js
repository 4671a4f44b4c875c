'use strict';
const fs = require('node:fs');
const { fromCaller, UsageError, wholeNumber } = require('./lib/command-line');
const { inState, makeFolders } = require('./local/state');
const { option, runCommand, shellLine, toggle } = require('./lib/words');
const { generate } = require('./generate/generate');

/** With fewer products, defects are too close to be judged apart. */
const minDirtyProducts = 400;
/** Keeps sku ids, which have gaps, well below 2147483647. */
const maxProducts = 100_000_000;
const maxSeed = 2 ** 32 - 1;

const lineEveryMs = 5000;

/** @param {number} total products @returns {(done: number) => void} prints a line every few seconds */
function createProgress(total) {
  let shownMs = performance.now();
  return (done) => {
    if (performance.now() - shownMs < lineEveryMs) return;
    shownMs = performance.now();
    console.error(`${Math.floor((done / total) * 100)} %  ${done.toLocaleString('en-US')} products`);
  };
}

/** @type {import('./lib/help').Help} */
const help = {
  about:
    'Writes a product catalog as six CSV files and manifest.json (rows of each file, and what a loader must make of them). The same options give the same bytes on every machine.',
  rows: [['OUT', 'folder, created when missing; files of an earlier run are overwritten']],
};
const options = {
  products: option('N', 'number of products, needed; a million are 27 million rows and 2.3 GB'),
  seed: option('S', 'another number, another catalog', '1'),
  fields: toggle('with fields.json, and a column for a field of each type'),
  dirty: toggle(
    'with every defect that the loader repairs or rejects (at least 400 products; below 1 % of each file from 10,000 on)',
  ),
};

runCommand('npm run generate', { help, words: ['OUT'], options }, async ({ values, positionals }) => {
  if (values.products === undefined)
    throw new UsageError(
      `--products N is missing: type npm run generate -- ${shellLine(positionals)} --products 10000`,
    );
  const { dirty, fields } = values;
  const out = fromCaller(positionals[0]);
  const least = dirty ? minDirtyProducts : 1;
  const products = wholeNumber('products', values.products, maxProducts, least);
  const seed = wholeNumber('seed', values.seed, maxSeed, 0);
  const writable = () => {
    makeFolders(out);
    fs.accessSync(out, fs.constants.W_OK);
  };
  inState(out, writable, 'choose another OUT');
  const startedMs = performance.now();
  const manifest = await generate({ out, products, seed, dirty, fields, onBlock: createProgress(products) });
  const files = Object.values(manifest.files);
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.error(`${rows.toLocaleString('en-US')} rows, ${(bytes / 1e6).toFixed(1)} MB in ${out}, ${seconds} s`);
});
