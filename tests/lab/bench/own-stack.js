'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { apps } = require('../../../ecosystem.config');
const { renderNginx } = require('../../../nginx/render');
const { memoryFolder } = require('../../../scripts/local/nginx');
const { freePort } = require('../../../scripts/local/ports');
const { runOrThrow } = require('../../../scripts/lib/run');
const { root } = require('../../../scripts/lib/runtime');
const { startValkey } = require('../../../scripts/local/valkey');
const { bothCores, startNginx, startPinned } = require('./pinned');
const { register, registerServer } = require('./running');
/** @import { Dataset } from './dataset' */
/** @import { Server } from './pinned' */

/** The least that the setting allows: a dozen replies, so that random ids over a million are never cached. */
const noCacheBytes = 65_536;
const openFiles = 8192;

/**
 * A worker with the memory that PM2 gives it.
 * @param {Dataset} dataset
 * @param {{ redisUrl?: string, l1Bytes?: number, cpu?: string }} [options]
 */
async function startWorker({ postgres, log }, { redisUrl = '', l1Bytes, cpu } = {}) {
  const port = await freePort();
  const env = {
    ...apps[0].env,
    PORT: String(port),
    ADMIN_PORT: String(await freePort()),
    DATABASE_URL: postgres.dsn('api'),
    REDIS_URL: redisUrl,
    LOG_LEVEL: 'warn',
    ...(l1Bytes === undefined ? {} : { L1_MAX_BYTES: String(l1Bytes) }),
  };
  const command = [process.execPath, ...apps[0].node_args, path.join(root, 'server/index.js')];
  return startPinned(command, { port, env, log, cpu });
}

/**
 * A writer with a key for everything.
 * @param {Dataset} dataset
 * @returns {Promise<Server & { key: string }>}
 */
async function startWriter({ postgres, log }) {
  const port = await freePort();
  const env = {
    ...apps[0].env,
    WRITE_PORT: String(port),
    WRITE_ADMIN_PORT: String(await freePort()),
    DATABASE_URL: postgres.dsn('api'),
    WRITE_DATABASE_URL: postgres.dsn('writer'),
    LOG_LEVEL: 'warn',
  };
  const make = [path.join(root, 'scripts/key.js'), 'create', `bench-${port}-${Date.now()}`];
  const command = [process.execPath, ...make, '--scopes', 'content,history,stock,changes'];
  const key = await runOrThrow(command, { LOADER_DATABASE_URL: postgres.dsn('loader') }, { keepOutput: true });
  const program = [process.execPath, ...apps[0].node_args, path.join(root, 'server/writer/index.js')];
  return { ...(await startPinned(program, { port, env, log, cpu: bothCores })), key: key.trim() };
}

/** An empty Valkey with the settings of the service. @param {Dataset} dataset @returns {Promise<string>} its URL */
async function startCache({ dir }) {
  const folder = path.join(dir, 'cache');
  fs.mkdirSync(folder, { recursive: true });
  const valkey = await startValkey({ dir: folder });
  registerServer('Valkey', valkey, { log: valkey.log, stop: valkey.stop });
  return valkey.url;
}

/**
 * nginx with the configuration of the service, in front of these workers.
 * @param {Pick<Dataset, 'dir'>} dataset @param {Server[]} workers @param {string} [cpu]
 * @returns {Promise<Server>} which removes its cache when it stops
 */
async function startFront({ dir }, workers, cpu = '0') {
  const addresses = workers.map((worker) => `127.0.0.1:${worker.port}`);
  const cache = memoryFolder(dir);
  const server = await startNginx({ dir, name: 'front', cpu }, (port, work) =>
    renderNginx({ port, workers: addresses, work, cache, logs: work, openFiles, user: 'root' }),
  );
  const stop = register(async () => {
    await server.stop();
    if (cache) fs.rmSync(cache, { recursive: true, force: true });
  });
  return { ...server, stop };
}

/** Two workers with their caches behind nginx, on all cores. @param {Dataset} dataset */
async function startStack(dataset) {
  const options = { redisUrl: await startCache(dataset), cpu: bothCores };
  const workers = [await startWorker(dataset, options), await startWorker(dataset, options)];
  return { workers, front: await startFront(dataset, workers, bothCores) };
}

module.exports = { noCacheBytes, startCache, startFront, startStack, startWorker, startWriter };
