'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { createRandom, shuffled } = require('../../../scripts/generate/random');
const { productsIn } = require('../../../scripts/local/catalog');
const { generateSample, loadCatalog, prepareCatalog } = require('../../../scripts/lib/commands');
const { startPostgres } = require('../../../scripts/local/postgres');
const { withClient } = require('../../../scripts/local/roles');
const { runOrThrow } = require('../../../scripts/lib/run');
const { root } = require('../../../scripts/lib/runtime');
const { interrupted, register } = require('./running');

/** Kept between runs: a million products take a minute to generate and another to load. Git-ignored. */
const datasets = path.join(root, '.state-bench');

/** @typedef {Awaited<ReturnType<typeof openDataset>>} Dataset `log`: of the servers on it */

/** Shows its progress, which may take minutes. @param {string[]} command @param {NodeJS.ProcessEnv} [env] */
const runStep = (command, env) => runOrThrow(command, env, { signal: interrupted });

/**
 * The generated CSV files of a size, made once.
 * @param {number} products
 * @returns {Promise<string>} their folder
 */
async function dataOf(products) {
  const data = path.join(datasets, String(products), 'data');
  if (!fs.existsSync(path.join(data, 'manifest.json'))) await runStep(generateSample(data, products));
  return data;
}

/**
 * A database with a catalog of a size, loaded unless an earlier run has loaded it.
 * @param {number} products @param {{ toWrite?: boolean }} [options] toWrite: a database of its own, which this run removes
 */
async function openDataset(products, { toWrite = false } = {}) {
  const dir = path.join(datasets, `${products}${toWrite ? '-written' : ''}`);
  const data = await dataOf(products);
  const remove = () => fs.promises.rm(dir, { recursive: true, force: true });
  if (toWrite) await remove();
  if (toWrite) register(remove);
  const postgres = await startPostgres({ dir });
  register(() => postgres.stop());
  const env = { LOADER_DATABASE_URL: postgres.dsn('loader') };
  await runStep(prepareCatalog(), env);
  if ((await productsIn(env.LOADER_DATABASE_URL)) !== products) {
    // --again: an interrupted run may have left fewer rows of these very files.
    await runStep([...loadCatalog(data, path.join(dir, 'rejects')), '--again'], env);
  }
  return { dir, products, log: path.join(dir, 'bench.log'), postgres };
}

/** @param {Dataset} dataset @returns {Promise<number[]>} of all products, in order */
const idsOf = ({ postgres }) =>
  withClient(postgres.dsn('loader'), async (client) => {
    const { rows } = await client.query('SELECT id FROM catalog.product_documents ORDER BY id');
    return rows.map(({ id }) => id);
  });

/** @param {string} dir @param {string} name @param {string[]} paths @returns {string} a file, one path a line */
function pathsFile(dir, name, paths) {
  const file = path.join(dir, `${name}.paths`);
  fs.writeFileSync(file, `${paths.join('\n')}\n`);
  return file;
}

/**
 * Paths of random products, the same in every run.
 * @param {Pick<Dataset, 'dir'>} dataset @param {number[]} ids of the catalog
 * @param {{ count: number, tail: string, name: string }} options `tail` such as '/styles'
 * @returns {string} a file, one path a line
 */
function randomPaths({ dir }, ids, { count, tail, name }) {
  const drawn = shuffled(ids, createRandom(1)).slice(0, count);
  const paths = drawn.map((id) => `/products/${id}${tail}`);
  return pathsFile(dir, name, paths);
}

module.exports = { openDataset, dataOf, idsOf, datasets, pathsFile, randomPaths };
