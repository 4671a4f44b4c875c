'use strict';
const path = require('node:path');

const { generateSample, loadCatalog, prepareCatalog } = require('../lib/commands');
const { startPostgres } = require('../local/postgres');
const { runOrThrow } = require('../lib/run');
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
  let postgres = await startPostgres({ dir });
  opened.push(() => postgres.stop());
  let valkey = await startValkey({ dir });
  opened.push(() => valkey.stop());
  const postgresSocket = { path: path.join(postgres.socketDir, '.s.PGSQL.5432') };
  const proxies = {
    postgres: await createProxyThread(postgresSocket),
    redis: await createProxyThread({ path: valkey.socket }),
  };
  opened.push(proxies.postgres.close, proxies.redis.close);
  const loaderEnv = { LOADER_DATABASE_URL: postgres.dsn('loader') };
  await runOrThrow(generateSample(data, products));
  await runOrThrow(prepareCatalog(), loaderEnv);
  await runOrThrow(loadCatalog(data, state.rejects), loaderEnv);
  const password = secretsOf(state, []).apiPassword;

  return {
    ...{ data, proxies, loaderEnv, postgresSocket },
    readDigests: () => readDigests(postgres.superuserDsn('catalog')),
    /** @param {number} [port] of another proxy */
    databaseUrl: (port = proxies.postgres.port) => `postgres://catalog_api:${password}@127.0.0.1:${port}/catalog`,
    redisUrl: `redis://127.0.0.1:${proxies.redis.port}`,
    get postgres() {
      return postgres;
    },
    get valkey() {
      return valkey;
    },
    /** @param {Record<string, string>} [settings] of postgresql.conf */
    async startPostgres(settings) {
      postgres = await startPostgres({ dir, settings });
    },
    async startValkey() {
      valkey = await startValkey({ dir });
    },
  };
}

module.exports = { openServers };
