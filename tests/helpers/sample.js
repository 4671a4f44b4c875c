'use strict';
const path = require('node:path');

const { generateSample, loadCatalog, prepareCatalog } = require('../../scripts/lib/commands');
const { runOrThrow } = require('../../scripts/lib/run');
const { createTestDatabase } = require('./servers');

/**
 * Loads the generated sample into a database, as `npm start` does.
 * @param {string} loaderDsn @param {string} dir for its files
 * @param {{ products: number, seed?: number, change?: (data: string) => void }} sample `change`: of the CSVs in a folder
 */
async function fillWithSample(loaderDsn, dir, { products, seed, change = () => {} }) {
  const data = path.join(dir, `sample-${seed ?? 'usual'}`);
  const env = { LOADER_DATABASE_URL: loaderDsn };
  await runOrThrow([...generateSample(data, products), ...(seed ? ['--seed', String(seed)] : [])], env);
  change(data);
  await runOrThrow(prepareCatalog(), env);
  await runOrThrow(loadCatalog(data, path.join(dir, 'rejects')), env);
}

/**
 * A database with the generated sample.
 * @param {string} dir for its files @param {number} products @param {(data: string) => void} [change] as in fillWithSample
 */
async function loadSample(dir, products, change) {
  const database = await createTestDatabase();
  await fillWithSample(database.dsn('loader'), dir, { products, change });
  return database;
}

module.exports = { fillWithSample, loadSample };
