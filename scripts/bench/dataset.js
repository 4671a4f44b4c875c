'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { productsIn } = require('../lib/catalog');
const { generateSample, loadCatalog, prepareCatalog } = require('../lib/commands');
const { startPostgres } = require('../lib/postgres');
const { withClient } = require('../lib/roles');
const { runOrThrow } = require('../lib/run');
const { root } = require('../lib/runtime');
const { interrupted, register } = require('./running');

/** Kept between runs: a million products take a minute to generate and another to load. Git-ignored. */
const datasets = path.join(root, '.state-bench');

/**
 * @typedef {object} Dataset
 * @property {string} dir
 * @property {string} data folder of clean CSV files
 * @property {import('../lib/postgres').Postgres} postgres
 * @property {() => Promise<void>} close
 */

/** Shows its progress: it may take minutes. @param {string[]} command @param {NodeJS.ProcessEnv} [env] */
const runStep = (command, env) => runOrThrow(command, env, { signal: interrupted });

/**
 * The generated set of a size: made once.
 * @param {number} products
 * @param {{ dirty?: boolean }} [options] dirty: with every fault that the loader knows
 * @returns {Promise<string>} its folder
 */
async function dataOf(products, { dirty = false } = {}) {
  const data = path.join(datasets, String(products), dirty ? 'dirty' : 'data');
  if (!fs.existsSync(path.join(data, 'manifest.json'))) {
    await runStep([...generateSample(data, products), ...(dirty ? ['--dirty'] : [])]);
  }
  return data;
}

/**
 * A database with a catalog of a size, loaded by the loader unless it is there from an earlier run.
 * @param {number} products
 * @returns {Promise<Dataset>}
 */
async function openDataset(products) {
  const dir = path.join(datasets, String(products));
  const data = await dataOf(products);
  const postgres = await startPostgres({ dir });
  const close = register(() => postgres.stop());
  const env = { LOADER_DATABASE_URL: postgres.dsn('loader') };
  await runStep(prepareCatalog(), env);
  if ((await productsIn(env.LOADER_DATABASE_URL)) !== products) {
    // Anew: a run that was cut off may have left fewer rows of these very files.
    await runStep([...loadCatalog(data, path.join(dir, 'rejects')), '--again'], env);
  }
  return { dir, data, postgres, close };
}

/** @param {Dataset} dataset @returns {Promise<number[]>} of all products, in order */
const idsOf = ({ postgres }) =>
  withClient(postgres.dsn('loader'), async (client) => {
    const query = {
      text: 'SELECT id FROM catalog.product_documents ORDER BY id',
      rowMode: 'array',
    };
    const { rows } = await client.query(/** @type {any} */ (query));
    return /** @type {unknown[][]} */ (rows).map(([id]) => Number(id));
  });

/** @param {string} dir @param {string} name @param {string[]} paths @returns {string} a file, one path a line */
function pathsFile(dir, name, paths) {
  const file = path.join(dir, `${name}.paths`);
  fs.writeFileSync(file, `${paths.join('\n')}\n`);
  return file;
}

/**
 * Paths for the load generator, random ids over the whole set.
 * @param {Dataset} dataset
 * @param {{ count: number, tails: string[], name: string }} options `tails` such as '/styles', one drawn per id
 * @returns {Promise<string>} a file, one path a line
 */
async function writePaths({ dir, postgres }, { count, tails, name }) {
  // setseed: two runs ask for the same ids
  const sql = `SELECT setseed(0.42);
    SELECT id FROM catalog.product_documents ORDER BY random() LIMIT ${count}`;
  const ids = await withClient(postgres.dsn('loader'), async (client) => {
    const results = /** @type {any} */ (await client.query(sql));
    return /** @type {{ id: number }[]} */ (results[1].rows).map(({ id }) => id);
  });
  const paths = ids.map((id, index) => `/products/${id}${tails[index % tails.length]}`);
  return pathsFile(dir, name, paths);
}

module.exports = { openDataset, dataOf, idsOf, datasets, pathsFile, writePaths };
