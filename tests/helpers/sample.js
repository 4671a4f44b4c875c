'use strict';
const path = require('node:path');

const { generateSample, loadCatalog, prepareCatalog } = require('../../scripts/lib/commands');
const { environment } = require('../../scripts/lib/environment');
const { runTool } = require('../../scripts/lib/run');
const { createTestDatabase } = require('./servers');

/** @param {string} loaderDsn @param {string[]} command of the loader, or one that writes files for it */
async function runLoader(loaderDsn, command) {
  const env = environment('loader', { LOADER_DATABASE_URL: loaderDsn });
  expect(await runTool(command, { env, keepOutput: true })).toMatchObject({ status: 0 });
}

/**
 * Loads the generated sample into a database, as `npm start` does.
 * @param {string} loaderDsn @param {string} dir for its files
 * @param {{ products: number, seed?: number, change?: (data: string) => void }} sample `change`: of the CSVs in a folder
 */
async function fillWithSample(loaderDsn, dir, { products, seed, change = () => {} }) {
  const data = path.join(dir, `sample-${seed ?? 'usual'}`);
  await runLoader(loaderDsn, [...generateSample(data, products), ...(seed ? ['--seed', String(seed)] : [])]);
  change(data);
  for (const command of [prepareCatalog(), loadCatalog(data, path.join(dir, 'rejects'))])
    await runLoader(loaderDsn, command);
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

module.exports = { fillWithSample, loadSample, runLoader };
