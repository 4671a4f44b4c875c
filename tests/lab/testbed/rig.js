'use strict';
const path = require('node:path');

const { startNginx } = require('../../../scripts/local/nginx');
const { startPm2 } = require('../../../scripts/local/pm2');
const { get, probeRoutes } = require('../../../scripts/lib/probe');
const { readOrNothing } = require('../../../scripts/lib/proc');
const { signalRunning } = require('../../../scripts/lib/process');
const { runOrThrow } = require('../../../scripts/lib/run');
const { root } = require('../../../scripts/lib/runtime');
const { describeState } = require('../../../scripts/local/state');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { startLoad } = require('./loadgen/load');
const { openServers } = require('./servers');
const { allReady, counterOf, startWorker } = require('./worker');

const readyTimeoutMs = 30_000;
/** Requested so often that L1 has them; the others are drawn from all products. */
const hotProducts = 8;
/** L1 keeps what was read before. */
const readsToKeep = 3;

/** Kinds of paths. L1 has the `hot` ones whatever fails; `cold` ones and lists mostly need Redis or PostgreSQL. */
const kinds = Object.freeze({ hot: 0, cold: 1, list: 2, longList: 3 });
const usualShares = [0.2, 0.75, 0.05, 0];
/** Not where something is stuck: a long list may take 12 s, and nginx waits for it. */
const withLongLists = { shares: [0.2, 0.75, 0.04, 0.01] };

/**
 * @typedef {object} RigOptions
 * @property {string} dir
 * @property {number} products
 * @property {number} port public; the next nine are used too
 * @property {number} rate requests a second of the constant traffic
 * @property {number} scale of every duration: 1 in full, less for a short run
 * @property {(line: string) => void} say
 */

/** @typedef {Awaited<ReturnType<typeof openRig>>} Rig */
/** @typedef {Awaited<ReturnType<typeof openChain>>} Chain */

/**
 * The whole chain on one machine, all of it under our control: nginx, two workers under PM2, and behind proxies Valkey and
 * PostgreSQL.
 * @param {RigOptions} options
 */
async function openRig(options) {
  /** @type {(() => Promise<unknown>)[]} */
  const opened = [];
  const close = async () => {
    for (const stop of opened.splice(0).reverse())
      await stop().catch((error) => options.say(`while stopping: ${error.message}`));
  };
  try {
    const chain = await openChain(options, opened);
    const traffic = await trafficOf(options, chain);
    return { ...options, ...chain, ...workersOf(chain), ...traffic, ...standalone(options, chain), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * The chain, ready.
 * @param {RigOptions} options @param {(() => Promise<unknown>)[]} opened
 */
async function openChain({ dir, products, port }, opened) {
  const servers = await openServers({ dir, products }, opened);
  const workerPorts = [port + 1, port + 2];
  const adminPorts = [port + 3, port + 4];
  // Two thirds of the usual L1: most reads shall reach the parts that fail.
  const settings = { DATABASE_URL: servers.databaseUrl, REDIS_URL: servers.redisUrl, L1_MAX_BYTES: '16777216' };
  const pm2 = await startPm2({
    dir,
    settings: {
      ...settings,
      CATALOG_WORKERS: String(workerPorts.length),
      CATALOG_WORKER_PORT: String(workerPorts[0]),
      CATALOG_ADMIN_PORT: String(adminPorts[0]),
      NODE_OPTIONS: '--inspect-port=0', // SIGUSR1 opens the inspector, for runInside; each on a port of its own
    },
  });
  opened.push(pm2.stop);
  const upstreams = workerPorts.map((own) => `127.0.0.1:${own}`);
  const nginx = await startNginx({ dir, port, workers: upstreams });
  opened.push(nginx.stop);
  const url = `http://127.0.0.1:${port}`;
  await probeRoutes(url, readyTimeoutMs);
  const haveRedis = async () => (await counterOf(adminPorts, 'catalog_redis_up').catch(() => 0)) === adminPorts.length;
  if (!(await waitUntil(haveRedis, readyTimeoutMs))) throw new Error('the workers have no Redis');
  return {
    ...{ servers, nginx, url, settings, upstreams, workerPorts, adminPorts },
    ...{ state: describeState(dir), proxies: servers.proxies, pm2Pid: pm2.pid },
    /** The sum over all workers. @param {string} name of a counter, with or without labels */
    counter: (name) => counterOf(adminPorts, name),
    /** Waits until nginx would send requests to every worker. */
    async ready() {
      if (!(await waitUntil(() => allReady(adminPorts), readyTimeoutMs))) throw new Error('the workers are not ready');
    },
  };
}

/** @param {Chain} chain */
function workersOf({ state, workerPorts }) {
  /** @param {number} index @returns {number} 0 while there is none; a new number: the old process has ended */
  const pidOf = (index) => Number(readOrNothing(path.join(state.pm2, 'pids', `worker-${index}.pid`)));
  return {
    pidOf,
    workerPids: () => workerPorts.map((_, index) => pidOf(index)),
    /** @param {number} index @param {NodeJS.Signals} signal */
    signalWorker(index, signal) {
      const pid = pidOf(index);
      if (!pid) throw new Error(`worker ${index} does not run`); // kill(0) would end ourselves
      signalRunning(`worker ${index}`, pid, signal);
    },
    /** A rolling reload, as a deployment does it. */
    reloadWorkers: () =>
      runOrThrow([process.execPath, path.join(root, 'node_modules/pm2/bin/pm2'), 'reload', 'all'], {
        PM2_HOME: state.pm2,
        PM2_DISABLE_VERSION_CHECK: 'true',
      }),
  };
}

/** @param {RigOptions} options @param {Chain} chain */
async function trafficOf({ port, rate }, { servers, upstreams }) {
  let { documents, lists, longLists } = await servers.readDigests();
  const all = Object.keys(documents);
  const hot = all.splice(0, 3 * hotProducts);
  const paths = [hot, all, Object.keys(lists), Object.keys(longLists)];
  return {
    /** @param {Partial<import('./loadgen/generator').Order>} [order] */
    startLoad: (order) =>
      startLoad({
        ...{ target: { host: '127.0.0.1', port }, rate, paths, shares: usualShares },
        ...{ digests: { ...documents, ...lists, ...longLists }, maxConnections: 4000, timeoutMs: 15_000, resend: true },
        ...order,
      }),
    /** After a load: its bodies carry its time. */
    async refreshDigests() {
      ({ documents, lists, longLists } = await servers.readDigests());
    },
    /** Brings the hot paths into the L1 of every worker. */
    async warm() {
      for (let round = 0; round < readsToKeep; round += 1)
        for (const own of upstreams) await Promise.all(hot.map((each) => get(`http://${own}${each}`)));
    },
  };
}

/** Servers for one fault, beside the chain. @param {RigOptions} options @param {Chain} chain */
const standalone = ({ dir, port }, { settings, state, upstreams }) => ({
  /** Another worker, without PM2 and nginx. @param {Record<string, string>} own settings */
  startWorker: (own) =>
    startWorker({ port: port + 5, log: path.join(state.logs, 'standalone-worker.log') }, { ...settings, ...own }),
  /**
   * Another nginx, on `port + 7`, with TLS on the next one.
   * @param {string} name of its folder
   * @param {{ workers?: string[], tls?: { certificate: string, key: string } }} [own]
   */
  async startNginx(name, { workers = upstreams, tls } = {}) {
    const place = { dir: path.join(dir, name), port: port + 7, tlsPort: port + 8 };
    const own = await startNginx({ ...place, workers, tls: tls && { ...tls, port: place.tlsPort } });
    return { ...own, ...place };
  },
});

module.exports = { openRig, kinds, withLongLists };
