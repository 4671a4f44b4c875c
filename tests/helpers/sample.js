'use strict';
const path = require('node:path');

const { generateSample, loadCatalog, prepareCatalog } = require('../../scripts/lib/commands');
const { environment } = require('../../scripts/lib/environment');
const { runTool } = require('../../scripts/lib/run');
const { createTestDatabase } = require('./servers');

/**
 * A database with the generated sample, loaded as `npm start` does.
 * @param {string} dir for its files @param {number} products
 */
async function loadSample(dir, products) {
  const database = await createTestDatabase();
  const data = path.join(dir, 'sample');
  const env = environment('loader', { LOADER_DATABASE_URL: database.dsn('loader') });
  const load = loadCatalog(data, path.join(dir, 'rejects'));
  for (const command of [generateSample(data, products), prepareCatalog(), load])
    expect(await runTool(command, { env, keepOutput: true })).toMatchObject({ status: 0 });
  return database;
}

module.exports = { loadSample };
