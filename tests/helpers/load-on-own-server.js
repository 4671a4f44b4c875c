'use strict';
const path = require('node:path');
const { loadCatalog, prepareCatalog } = require('../../scripts/lib/commands');
const { startPostgres } = require('../../scripts/local/postgres');
const { runOrThrow } = require('../../scripts/lib/run');

/* `node load-on-own-server.js DIR DATA`: loads the CSVs of DATA into a new PostgreSQL, whose folder is DIR. */

/** @param {string} dir @param {string} data */
async function main(dir, data) {
  const postgres = await startPostgres({ dir });
  try {
    const env = { LOADER_DATABASE_URL: postgres.dsn('loader') };
    for (const command of [prepareCatalog(), loadCatalog(data, path.join(dir, 'rejects'))])
      await runOrThrow(command, env);
  } finally {
    await postgres.stop();
  }
}

main(process.argv[2], process.argv[3]).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
