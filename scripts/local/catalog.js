'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { fromCallersFolder, generateSample, loadCatalog, prepareCatalog, runLoader } = require('../lib/commands');
const { stateVariable } = require('./leftovers');
const { withClient } = require('./roles');
const { runLoading } = require('../lib/run');
const { Explained } = require('../lib/command-line');
const { campusOf } = require('./loader-options');

const files = ['product', 'styles', 'photos', 'skus', 'features', 'related'].map((name) => `${name}.csv`);

/**
 * @typedef {object} Steps
 * @property {import('./state').State} state
 * @property {string} loaderDsn
 * @property {(line: string) => void} say
 * @property {AbortSignal} signal
 */

/**
 * Describes a folder of CSVs and the campus. The same text means that the folder need not be loaded again.
 * @param {string} dir @param {string} campus
 */
function describeFiles(dir, campus) {
  try {
    const parts = files.map((file) => {
      const stat = fs.statSync(path.join(dir, file));
      return `${file} ${stat.size} ${stat.mtimeMs}`;
    });
    return [fs.realpathSync(dir), `campus ${campus}`, ...parts].join('\n');
  } catch (error) {
    return `${/** @type {Error} */ (error).message}`; // the loader refuses them
  }
}

/**
 * The loader checks the options and the beginning of each file, before anything is started.
 * @param {string} data @param {string[]} loader its options
 */
async function checkFiles(data, loader) {
  const status = await runLoading(
    [...runLoader('load', data, ...loader), '--check'],
    fromCallersFolder('', 'npm start'),
  );
  if (status !== 0) throw new Explained(status);
}

/** Runs a step of the loader or the generator. @param {string[]} command @param {Steps} steps */
async function runStep(command, { state, loaderDsn, signal }) {
  const pidFile = path.join(state.pids, 'tool.pid');
  const { cwd, env } = fromCallersFolder(loaderDsn, 'npm start');
  const running = runLoading(command, {
    cwd,
    env: { ...env, [stateVariable]: state.dir },
    signal,
    onStart: (pid) => fs.writeFileSync(pidFile, `${pid}\n`),
  });
  const status = await running.finally(() => fs.rmSync(pidFile, { force: true }));
  signal.throwIfAborted();
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

/** @param {string} dsn @returns {Promise<string>} the load that is served, unique among databases; empty: none */
const servedLoad = (dsn) =>
  withClient(dsn, async (client) => {
    const { rows } = await client.query(
      "SELECT concat_ws(' ', id, extract(epoch FROM started_at)) AS load FROM catalog_meta.loads WHERE state = 'live'",
    );
    return rows[0]?.load ?? '';
  });

/** @param {import('./state').State} state */
const loadedFile = (state) => path.join(state.dir, 'loaded.txt');

/**
 * Remembers the files that are served, so that the next start does not load them again.
 * @param {import('./state').State} state @param {string} files their description @param {string} load
 */
const rememberLoaded = (state, files, load) => fs.writeFileSync(loadedFile(state), `${load}\n${files}`);

/**
 * Loads what the options name, unless it is served already.
 * @param {Steps} steps
 * @param {Pick<import('./start-options').StartOptions, 'data' | 'loader' | 'products' | 'fresh'>} options
 */
async function fillCatalog(steps, { data, loader, products, fresh }) {
  await runStep(prepareCatalog(), steps);
  const filled = !fresh && (await productsIn(steps.loaderDsn, 1)) > 0;
  if (data) return fillFrom(steps, data, loader, filled);
  if (filled) return steps.say('catalog: has products already (--fresh loads again)');
  const sample = path.join(steps.state.dir, 'sample');
  steps.say(`sample: generating ${products} products`);
  await runStep(generateSample(sample, products), steps);
  steps.say('catalog: loading the sample');
  await runStep(loadCatalog(sample, steps.state.rejects), steps);
  fs.rmSync(sample, { recursive: true, force: true });
}

/** @param {Steps} steps @param {string} data @param {string[]} loader its options @param {boolean} filled */
async function fillFrom(steps, data, loader, filled) {
  const wanted = describeFiles(data, campusOf(loader));
  const file = loadedFile(steps.state);
  const known = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  if (filled && known === `${await servedLoad(steps.loaderDsn)}\n${wanted}`)
    return steps.say(`catalog: ${data} is loaded already`);
  steps.say(`catalog: loading ${data}`);
  // With --fresh, or in an empty catalog, the loader must not skip files that it remembers.
  await runStep([...loadCatalog(data, steps.state.rejects), ...loader, ...(filled ? [] : ['--again'])], steps);
  rememberLoaded(steps.state, wanted, await servedLoad(steps.loaderDsn));
}

module.exports = { checkFiles, describeFiles, fillCatalog, productsIn, rememberLoaded, servedLoad };
