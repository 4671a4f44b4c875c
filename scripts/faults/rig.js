'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { startNginx } = require('../lib/nginx');
const { startPm2 } = require('../lib/pm2');
const { get, probeRoutes } = require('../lib/probe');
const { runOrThrow } = require('../lib/run');
const { root } = require('../lib/runtime');
const { describeState } = require('../lib/state');
const { waitUntil } = require('../lib/wait-until');
const { startLoad } = require('../testbed/loadgen/load');
const { openServers } = require('./servers');
const { startStandaloneWorker } = require('./standalone-worker');
const { allReady, counterOf } = require('./worker-probe');

const readyTimeoutMs = 30_000;
/** These products are asked for so often that L1 has them; the others are drawn from all. */
const hotProducts = 8;
/** L1 keeps what it has seen before. */
const readsToKeep = 3;

/**
 * Which path a request is for. `hot` ones are in L1 whatever fails behind it; `cold` ones and lists mostly need Redis or
 * PostgreSQL.
 */
const kinds = Object.freeze({ hot: 0, cold: 1, list: 2, longList: 3 });

const usualShares = [0.2, 0.75, 0.05, 0];
/** Not where something is stuck: a long list may take 12 s, and nginx waits for it. */
const withLongLists = { shares: [0.2, 0.75, 0.04, 0.01] };

/**
 * @typedef {object} RigOptions
 * @property {string} dir
 * @property {number} products
 * @property {number} port public; the nine behind it are used too
 * @property {number} rate requests a second of the constant load
 * @property {number} scale of every duration: 1 for the full measure, less for a short one
 * @property {(line: string) => void} say
 */

/** @typedef {Awaited<ReturnType<typeof build>>} Rig */

/**
 * The whole chain on one machine, every part of it under our hand: nginx, two workers under PM2, and behind proxies
 * of our own Valkey and PostgreSQL.
 * @param {RigOptions} options
 * @returns {Promise<Rig & { close: () => Promise<void> }>}
 */
async function openRig(options) {
  /** @type {(() => Promise<unknown>)[]} */
  const opened = [];
  const close = async () => {
    for (const stop of opened.splice(0).reverse())
      await stop().catch((error) => options.say(`while stopping: ${error.message}`));
  };
  try {
    return { ...(await build(options, opened)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * @param {{ dir: string, port: number, workerPorts: number[], adminPorts: number[], settings: Record<string, string> }} options
 * @param {(() => Promise<unknown>)[]} opened
 */
async function openWorkers({ dir, port, workerPorts, adminPorts, settings }, opened) {
  const pm2 = await startPm2({
    dir,
    settings: {
      ...settings,
      CATALOG_WORKERS: String(workerPorts.length),
      CATALOG_WORKER_PORT: String(workerPorts[0]),
      CATALOG_ADMIN_PORT: String(adminPorts[0]),
      // SIGUSR1 opens the inspector of a worker, by which faults are put into it; each on a port of its own.
      NODE_OPTIONS: '--inspect-port=0',
    },
  });
  opened.push(pm2.stop);
  const workers = workerPorts.map((own) => `127.0.0.1:${own}`);
  const nginx = await startNginx({ dir, port, workers });
  opened.push(nginx.stop);
  return { pm2, nginx };
}

/**
 * The whole chain, ready.
 * @param {RigOptions} options @param {(() => Promise<unknown>)[]} opened
 */
async function openChain({ dir, products, port }, opened) {
  const state = describeState(dir);
  const servers = await openServers({ dir, products }, opened);
  const { proxies } = servers;
  const adminPorts = [port + 3, port + 4];
  const workerPorts = [port + 1, port + 2];
  /** Of every worker. Two thirds of the usual L1: most reads shall go where the faults are. */
  const settings = {
    DATABASE_URL: servers.databaseUrl,
    REDIS_URL: servers.redisUrl,
    L1_MAX_BYTES: '16777216',
  };
  const { pm2, nginx } = await openWorkers({ dir, port, workerPorts, adminPorts, settings }, opened);
  const url = `http://127.0.0.1:${port}`;
  await probeRoutes(url, readyTimeoutMs);
  const haveRedis = async () => (await counterOf(adminPorts, 'catalog_redis_up').catch(() => 0)) === adminPorts.length;
  if (!(await waitUntil(haveRedis, readyTimeoutMs))) throw new Error('the workers have no Redis');
  return { state, servers, proxies, nginx, url, settings, adminPorts, workerPorts, pm2Pid: pm2.pid };
}

/** @param {RigOptions} options @param {(() => Promise<unknown>)[]} opened */
async function build(options, opened) {
  const { port, rate } = options;
  const chain = await openChain(options, opened);
  const { state, servers, settings, adminPorts, workerPorts } = chain;

  const { paths, ...read } = await readTruth(servers);
  let { truth } = read;
  const pidOf = (/** @type {number} */ index) => workerPid(state, index);

  return {
    ...options,
    ...chain,
    paths,
    /** The process of a worker; 0 while there is none. A new number: the old one has ended. */
    pidOf,
    /** @param {number} index @param {NodeJS.Signals} signal */
    signalWorker(index, signal) {
      const pid = pidOf(index);
      if (!pid) throw new Error(`worker ${index} does not run`); // kill(0) would end ourselves
      process.kill(pid, signal);
    },
    workerPids: () => workerPorts.map((_, index) => pidOf(index)),
    /** After a load: its bodies carry its time. */
    async refreshTruth() {
      ({ truth } = await readTruth(servers));
    },
    reloadWorkers: () => reloadWorkers(state),
    /** @param {Partial<import('../testbed/loadgen/generator').Order>} [order] */
    startLoad: (order) =>
      startLoad({
        target: { host: '127.0.0.1', port },
        rate,
        paths,
        shares: usualShares,
        digests: truth,
        resend: true,
        maxConnections: 4000,
        timeoutMs: 15_000,
        ...order,
      }),
    /** Another worker, without PM2 and nginx. @param {Record<string, string>} [own] settings */
    startStandaloneWorker: (own = {}) =>
      startStandaloneWorker(
        { port: port + 5, log: path.join(state.logs, 'standalone-worker.log') },
        { ...settings, ...own },
      ),
    /** The sum over all workers. @param {string} name of a counter, with or without labels */
    counter: (name) => counterOf(adminPorts, name),
    /** Brings the hot paths into the L1 of every worker. */
    async warm() {
      for (let round = 0; round < readsToKeep; round += 1)
        for (const own of workerPorts)
          await Promise.all(paths[kinds.hot].map((each) => get(`http://127.0.0.1:${own}${each}`)));
    },
    /** Waits until every worker would be given requests. */
    async ready() {
      if (!(await waitUntil(() => allReady(adminPorts), readyTimeoutMs))) throw new Error('the workers are not ready');
    },
  };
}

/** @param {Awaited<ReturnType<typeof openServers>>} servers */
async function readTruth(servers) {
  const { documents, lists, longLists } = await servers.readTruth();
  const all = Object.keys(documents);
  const hot = 3 * hotProducts;
  return {
    truth: { ...documents, ...lists, ...longLists },
    paths: [all.slice(0, hot), all.slice(hot), Object.keys(lists), Object.keys(longLists)],
  };
}

/** @param {import('../lib/state').State} state @param {number} index @returns {number} 0 while there is none */
function workerPid(state, index) {
  const file = path.join(state.pm2, 'pids', `worker-${index}.pid`);
  return fs.existsSync(file) ? Number(fs.readFileSync(file)) : 0;
}

/** A rolling reload, as a deployment does it. @param {import('../lib/state').State} state */
const reloadWorkers = (state) =>
  runOrThrow([process.execPath, path.join(root, 'node_modules/pm2/bin/pm2'), 'reload', 'all'], {
    PM2_HOME: state.pm2,
    PM2_DISABLE_VERSION_CHECK: 'true',
  });

module.exports = { openRig, kinds, withLongLists };
