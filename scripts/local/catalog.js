'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { fromCallersFolder, generateSample, loadCatalog, prepareCatalog, runLoader } = require('../lib/commands');
const { withClient } = require('./roles');
const { runLoading } = require('../lib/run');
const { Explained } = require('../lib/command-line');

/**
 * @typedef {object} Steps
 * @property {import('./state').State} state
 * @property {string} loaderDsn
 * @property {(line: string) => void} say
 * @property {AbortSignal} signal
 */

/**
 * The loader checks the options and the beginning of each file, before anything is started.
 * @param {string} data @param {string[]} loader its options
 */
const checkFiles = (data, loader) => runStep([...runLoader('load', data, ...loader), '--check'], { loaderDsn: '' });

/** Runs a step of the loader or the generator. @param {string[]} command @param {{ loaderDsn: string, signal?: AbortSignal }} steps */
async function runStep(command, { loaderDsn, signal }) {
  const status = await runLoading(command, { ...fromCallersFolder(loaderDsn, 'npm start'), signal });
  signal?.throwIfAborted();
  if (status !== 0) throw new Explained(status);
}

/**
 * @param {string} dsn @param {number | null} [atMost] counting stops there, because counting a million takes long
 * @returns {Promise<number>} products that are served; 0 when nothing was ever loaded
 */
const productsIn = (dsn, atMost = null) =>
  withClient(dsn, async (client) => {
    const table = await client.query("SELECT to_regclass('catalog.product_documents') AS name");
    if (!table.rows[0].name) return 0;
    const some = 'SELECT FROM catalog.product_documents LIMIT $1'; // NULL: all of them
    const count = await client.query(`SELECT count(*)::int AS rows FROM (${some}) AS found`, [atMost]);
    return count.rows[0].rows;
  });

/**
 * Loads what the options name, unless it is served already: the loader knows its files.
 * @param {Steps} steps
 * @param {Pick<import('./start-options').StartOptions, 'data' | 'loader' | 'products' | 'fresh'>} options
 */
async function fillCatalog(steps, { data, loader, products, fresh }) {
  await runStep(prepareCatalog(), steps);
  const filled = !fresh && (await productsIn(steps.loaderDsn, 1)) > 0;
  if (data) {
    steps.say(`catalog: loading ${data}${filled ? ', unless it is served already (--fresh loads again)' : ''}`);
    // With --fresh, or in an empty catalog, the loader must not skip files that it remembers.
    return runStep([...loadCatalog(data, steps.state.rejects), ...loader, ...(filled ? [] : ['--again'])], steps);
  }
  if (filled) return steps.say('catalog: has products already (--fresh loads again)');
  const sample = path.join(steps.state.dir, 'sample');
  steps.say(`sample: generating ${products} products`);
  await runStep(generateSample(sample, products), steps);
  steps.say('catalog: loading the sample');
  // --fresh says it: what was written to the old catalog goes.
  await runStep([...loadCatalog(sample, steps.state.rejects), ...(fresh ? ['--drop-writes'] : [])], steps);
  fs.rmSync(sample, { recursive: true, force: true });
}

module.exports = { checkFiles, fillCatalog, productsIn };
