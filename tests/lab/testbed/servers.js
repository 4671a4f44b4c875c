'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { generateSample, loadCatalog, prepareCatalog } = require('../../../scripts/lib/commands');
const { startPostgres } = require('../../../scripts/local/postgres');
const { environment } = require('../../../scripts/lib/environment');
const { runOrThrow, runTool } = require('../../../scripts/lib/run');
const { withClient } = require('../../../scripts/local/roles');
const { openState, secretsOf } = require('../../../scripts/local/state');
const { startValkey } = require('../../../scripts/local/valkey');
const { createProxyThread } = require('./proxy');

const [documentsSql, listsSql] = ['digests.sql', 'digests-lists.sql'].map((name) =>
  fs.readFileSync(path.join(__dirname, name), 'utf8'),
);
/** Products of a page; above 200 a list is read on a connection of its own. */
const pageCount = 20;
const longPageCount = 250;

/** @typedef {Record<string, string>} Digests path → SHA-256 of the correct reply: the Link header, if any, and the body */

/** @param {string} dsn @returns {Promise<{ documents: Digests, lists: Digests, longLists: Digests }>} in the order of ids */
const readDigests = (dsn) =>
  withClient(dsn, async (client) => {
    const read = async (/** @type {string} */ sql, /** @type {number[]} */ ...values) => {
      const { rows } = await client.query(sql, values);
      return Object.fromEntries(rows.map((row) => [row.path, row.digest]));
    };
    return {
      documents: await read(documentsSql),
      lists: await read(listsSql, pageCount),
      longLists: await read(listsSql, longPageCount),
    };
  });

/**
 * PostgreSQL and Valkey of a folder, each behind a proxy, and a loaded catalog.
 * @param {{ dir: string, products: number }} options
 * @param {(() => Promise<unknown>)[]} opened gets how to stop what was started
 */
async function openServers({ dir, products }, opened) {
  const data = path.join(dir, 'data');
  const state = openState(dir);
  const servers = { postgres: await startPostgres({ dir }), valkey: await startValkey({ dir }) };
  opened.push(() => servers.postgres.stop());
  opened.push(() => servers.valkey.stop());
  const postgresSocket = { path: path.join(servers.postgres.socketDir, '.s.PGSQL.5432') };
  const proxies = {
    postgres: await createProxyThread(postgresSocket),
    redis: await createProxyThread({ path: servers.valkey.socket }),
  };
  opened.push(proxies.postgres.close, proxies.redis.close);
  const loaderEnv = { LOADER_DATABASE_URL: servers.postgres.dsn('loader') };
  await runOrThrow(generateSample(data, products));
  await runOrThrow(prepareCatalog(), loaderEnv);
  const load = loadCatalog(data, state.rejects);
  await runOrThrow(load, loaderEnv);
  const password = secretsOf(state, []).apiPassword;

  return Object.assign(servers, {
    ...{ proxies, loaderEnv, postgresSocket },
    readDigests: () => readDigests(servers.postgres.superuserDsn('catalog')),
    databaseUrl: `postgres://catalog_api:${password}@127.0.0.1:${proxies.postgres.port}/catalog`,
    redisUrl: `redis://127.0.0.1:${proxies.redis.port}`,
    /** The same files again. @param {(pid: number) => void} [onStart] */
    load: (onStart) =>
      runTool([...load, '--again'], { env: environment('loader', loaderEnv), keepOutput: true, onStart }),
    /** @param {Record<string, string>} [settings] of postgresql.conf */
    async startPostgres(settings) {
      servers.postgres = await startPostgres({ dir, settings });
    },
    async startValkey() {
      servers.valkey = await startValkey({ dir });
    },
  });
}

module.exports = { openServers };
