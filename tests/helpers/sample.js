'use strict';
const path = require('node:path');

const { generateSample, loadCatalog, prepareCatalog } = require('../../scripts/lib/commands');
const { runOrThrow } = require('../../scripts/lib/run');
const { createTestDatabase } = require('./servers');

/** @typedef {{ products: number, seed?: number, fields?: boolean, change?: (data: string) => void }} Sample `change`: of the CSVs in a folder */

/**
 * Loads the generated sample into a database, as `npm start` does.
 * @param {string} loaderDsn @param {string} dir for its files
 * @param {Sample} sample
 */
async function fillWithSample(loaderDsn, dir, { products, seed, fields, change = () => {} }) {
  const data = path.join(dir, `sample-${seed ?? 'usual'}`);
  const env = { LOADER_DATABASE_URL: loaderDsn };
  const more = [...(seed ? ['--seed', String(seed)] : []), ...(fields ? ['--fields'] : [])];
  await runOrThrow([...generateSample(data, products), ...more], env);
  change(data);
  await runOrThrow(prepareCatalog(), env);
  await runOrThrow(loadCatalog(data, path.join(dir, 'rejects')), env);
}

/**
 * A database with the generated sample.
 * @param {string} dir for its files @param {number} products @param {Sample['change']} [change]
 * @param {boolean} [fields] with those of its own
 */
async function loadSample(dir, products, change, fields) {
  const database = await createTestDatabase();
  await fillWithSample(database.dsn('loader'), dir, { products, change, fields });
  return database;
}

module.exports = { fillWithSample, loadSample };
