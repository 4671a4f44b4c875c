'use strict';
const readline = require('node:readline');
const { startPostgres } = require('../../scripts/local/postgres');

/*
 * A separate PostgreSQL for tests in Python that kill it: `node own-postgres.js DIR [SETTINGS as JSON]`.
 * Each line on its input starts it (again) and is answered by a line of JSON; the end of its input stops it.
 */

const startWithinMs = 30_000;

/** The processes of a killed server hold its shared memory until they notice. @param {string} dir @param {Record<string, string>} settings */
async function startWhenFree(dir, settings) {
  const deadline = performance.now() + startWithinMs;
  for (;;) {
    try {
      return await startPostgres({ dir, settings });
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
  }
}

/** @param {string} dir @param {string} settings */
async function main(dir, settings = '{}') {
  /** @type {import('../../scripts/local/postgres').Postgres | undefined} */
  let server;
  try {
    const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    while (!(await lines.next()).done) {
      server = await startWhenFree(dir, JSON.parse(settings));
      const { pid } = server;
      const dsns = {
        superuser: server.superuserDsn('catalog'),
        loader: server.dsn('loader'),
        api: server.dsn('api'),
      };
      console.log(JSON.stringify({ pid, ...dsns }));
    }
  } finally {
    await server?.stop('immediate');
  }
}

main(process.argv[2], process.argv[3]).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
