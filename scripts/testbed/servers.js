'use strict';
const path = require('node:path');

const { generateSample, loadCatalog, prepareCatalog } = require('../lib/commands');
const { startPostgres } = require('../local/postgres');
const { environment } = require('../lib/environment');
const { runOrThrow, runTool } = require('../lib/run');
const { openState, secretsOf } = require('../local/state');
const { startValkey } = require('../local/valkey');
const { readDigests } = require('./digests');
const { createProxyThread } = require('./proxy-thread');

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
    /** @param {number} [port] of another proxy */
    databaseUrl: (port = proxies.postgres.port) => `postgres://catalog_api:${password}@127.0.0.1:${port}/catalog`,
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
