'use strict';

const { spawn } = require('node:child_process');
const path = require('node:path');
const { text } = require('node:stream/consumers');
const { once } = require('node:events');

const { Client } = require('pg');

const { generate } = require('../../scripts/generate/generate');
const { runLoader } = require('../../scripts/lib/commands');
const { environment } = require('../../scripts/lib/environment');
const { root } = require('../../scripts/lib/runtime');
const { createTestDatabase } = require('./servers');
const { applyStock, logStock } = require('./stock');
const { callerOf, prepareWrites, startWriter } = require('./writer');

/** Generated CSVs. @param {string} dir @param {number} products @param {number} [seed] */
const generateFiles = (dir, products, seed = 1) => generate({ out: dir, products, seed, dirty: false });

/** An empty database for the loader, and a writer for what it loads. */
async function createLoaded() {
  const database = await createTestDatabase();
  const client = new Client({ connectionString: database.superuserDsn });
  client.on('error', () => {});
  await client.connect();
  /** @type {Awaited<ReturnType<typeof startWriter>> | undefined} */
  let app;

  /** More for the loader. @type {NodeJS.ProcessEnv} */
  const more = {};

  /** Starts the loader. @param {string[]} words */
  const start = (...words) => {
    const [command, ...args] = runLoader(
      words[0],
      '--rejects',
      path.join(root, '.state/test-rejects'),
      ...words.slice(1),
    );
    const env = environment('loader', { LOADER_DATABASE_URL: database.dsn('loader'), ...more });
    return spawn(command, args, { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'] });
  };
  return {
    client,
    superuserDsn: database.superuserDsn,
    apiDsn: database.dsn('api'),
    writerDsn: database.dsn('writer'),
    start,
    /** @param {string[]} words @returns {Promise<{ status: number, said: string }>} */
    async load(...words) {
      const running = start(...words);
      const [said, [status]] = await Promise.all([text(/** @type {any} */ (running.stderr)), once(running, 'close')]);
      return { status, said };
    },
    /** Starts the writer, after the first load. @param {string[]} [scopes] of its key */
    async serveAt(scopes) {
      const key = await prepareWrites({ client }, { scopes });
      app = await startWriter(database.dsn('writer'));
      Object.assign(more, { WRITER_URL: app.url, WRITER_KEY: key });
      return { url: app.url, key, call: callerOf(app.url, key) };
    },
    /** @param {string[]} [scopes] */
    async serve(scopes) {
      return (await this.serveAt(scopes)).call;
    },
    /** @param {import('./stock').Operation[]} operations */
    async stock(...operations) {
      await logStock(client, operations);
      await applyStock(client);
    },
    async drop() {
      await app?.close();
      await client.end();
      await database.drop();
    },
  };
}

module.exports = { createLoaded, generateFiles };
