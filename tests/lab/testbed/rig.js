'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { makeCertificate } = require('../../helpers/certificate');
const { generateSample, loadCatalog, prepareCatalog } = require('../../../scripts/lib/commands');
const { environment } = require('../../../scripts/lib/environment');
const { get, probeRoutes } = require('../../../scripts/lib/probe');
const { readOrNothing } = require('../../../scripts/lib/proc');
const { signalRunning } = require('../../../scripts/lib/process');
const { runOrThrow, runTool } = require('../../../scripts/lib/run');
const { root } = require('../../../scripts/lib/runtime');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { startNginx } = require('../../../scripts/local/nginx');
const { startPm2 } = require('../../../scripts/local/pm2');
const { startPostgres } = require('../../../scripts/local/postgres');
const { withClient } = require('../../../scripts/local/roles');
const { describeState, openState, secretsOf } = require('../../../scripts/local/state');
const { startValkey } = require('../../../scripts/local/valkey');
const { startLoad } = require('./loadgen/load');
const { createProxyThread } = require('./proxy');

const readyTimeoutMs = 30_000;
/** Requested so often that L1 has them; the others are drawn from all products. */
const hotProducts = 8;
/** L1 keeps what was read before. */
const readsToKeep = 3;
/** Products of a page; above 200 a list is read on a connection of its own. */
const pageCounts = { lists: 20, longLists: 250 };

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
 * @property {boolean} short a sixth of every duration; times are not judged
 * @property {(line: string) => void} say
 */

/** @typedef {Awaited<ReturnType<typeof openRig>>} Rig */
/** @typedef {Awaited<ReturnType<typeof openServers>>} Servers */
/** @typedef {Awaited<ReturnType<typeof openChain>>} Chain */
/** @typedef {Record<string, string>} Digests path → SHA-256 of the correct reply: the Link header, if any, and the body */
/** @typedef {(() => Promise<unknown>)[]} Opened how to stop what was started */

/**
 * The whole chain on one machine, all of it under our control: nginx, two workers under PM2, and behind proxies Valkey and
 * PostgreSQL.
 * @param {RigOptions} options
 */
async function openRig(options) {
  /** @type {Opened} */
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

/** PostgreSQL and Valkey, each behind a proxy, and a loaded catalog. @param {RigOptions} options @param {Opened} opened */
async function openServers({ dir, products }, opened) {
  const data = path.join(dir, 'data');
  const state = openState(dir);
  const servers = { postgres: await startPostgres({ dir }), valkey: await startValkey({ dir }) };
  opened.push(() => servers.postgres.stop());
  opened.push(() => servers.valkey.stop());
  const proxies = {
    postgres: await createProxyThread({ path: path.join(servers.postgres.socketDir, '.s.PGSQL.5432') }),
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
    proxies,
    loaderEnv,
    databaseUrl: `postgres://catalog_api:${password}@127.0.0.1:${proxies.postgres.port}/catalog`,
    redisUrl: `redis://127.0.0.1:${proxies.redis.port}`,
    /** The same files again. */
    load: () => runTool([...load, '--again'], { env: environment('loader', loaderEnv), keepOutput: true }),
    async startPostgres() {
      servers.postgres = await startPostgres({ dir });
    },
    async startValkey() {
      servers.valkey = await startValkey({ dir });
    },
  });
}

/** @param {number[]} adminPorts @param {string} path */
const getAll = (adminPorts, path) => Promise.all(adminPorts.map((port) => get(`http://127.0.0.1:${port}${path}`)));

/** @param {number[]} adminPorts @returns {Promise<boolean>} whether nginx would send requests to all of these workers */
const allReady = async (adminPorts) => (await getAll(adminPorts, '/readyz')).every(({ status }) => status === 200);

/**
 * @param {number[]} adminPorts @param {string} name of a metric
 * @returns {Promise<number>} its sum over these workers and all labels @throws when one of them does not report it
 */
async function counterOf(adminPorts, name) {
  const replies = await getAll(adminPorts, '/metrics');
  const lines = replies.map(({ body }) => body.split('\n').filter((line) => line.startsWith(name)));
  if (lines.some(({ length }) => length === 0)) throw new Error(`a worker does not report its ${name}`);
  return lines.flat().reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** The chain, ready. @param {RigOptions} options @param {Opened} opened */
async function openChain(options, opened) {
  const { dir, port } = options;
  const servers = await openServers(options, opened);
  const [workerPorts, adminPorts] = [
    [port + 1, port + 2],
    [port + 3, port + 4],
  ];
  const pm2 = await startPm2({
    dir,
    settings: {
      DATABASE_URL: servers.databaseUrl,
      REDIS_URL: servers.redisUrl,
      L1_MAX_BYTES: '16777216', // two thirds of the usual L1: most reads shall reach the parts that fail
      CATALOG_WORKERS: String(workerPorts.length),
      CATALOG_WORKER_PORT: String(workerPorts[0]),
      CATALOG_ADMIN_PORT: String(adminPorts[0]),
      // With a shop, all routes and includes answer.
      SHOP_NAME: 'Laboratory',
      SHOP_CURRENCY: 'EUR',
      SHOP_PRODUCT_URL: 'https://shop.example/p/{slug}-{id}',
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
  const [state, { proxies }] = [describeState(dir), servers];
  return { servers, proxies, nginx, url, upstreams, workerPorts, adminPorts, state, pm2Pid: pm2.pid };
}

/** @param {Chain} chain */
function workersOf({ adminPorts, state, workerPorts }) {
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
    /** @param {number} index */
    isReady: (index) => allReady([adminPorts[index]]),
    /** Waits until nginx would send requests to every worker. */
    async ready() {
      if (!(await waitUntil(() => allReady(adminPorts), readyTimeoutMs))) throw new Error('the workers are not ready');
    },
    /** The sum over all workers. @param {string} name of a metric */
    counter: (name) => counterOf(adminPorts, name),
  };
}

const [documentsSql, listsSql] = ['digests.sql', 'digests-lists.sql'].map((name) =>
  fs.readFileSync(path.join(__dirname, name), 'utf8'),
);

/** @param {string} dsn @returns {Promise<Digests[]>} of documents, lists and long lists, in the order of ids */
const readDigests = (dsn) =>
  withClient(dsn, async (client) => {
    const read = async (/** @type {string} */ sql, /** @type {number[]} */ ...values) =>
      Object.fromEntries((await client.query(sql, values)).rows.map((row) => [row.path, row.digest]));
    const lists = await read(listsSql, pageCounts.lists);
    return [await read(documentsSql), lists, await read(listsSql, pageCounts.longLists)];
  });

/** @param {RigOptions} options @param {Chain} chain */
async function trafficOf({ port, rate }, { servers, upstreams }) {
  const all = await readDigests(servers.postgres.superuserDsn('catalog'));
  const [documents, ...lists] = all.map((digests) => Object.keys(digests));
  const hot = documents.splice(0, 3 * hotProducts);
  return {
    /** @param {Partial<import('./loadgen/generator').Order>} [order] */
    startLoad: (order) =>
      startLoad({
        target: { host: '127.0.0.1', port },
        rate,
        paths: [hot, documents, ...lists],
        shares: usualShares,
        digests: Object.assign({}, ...all),
        maxConnections: 4000,
        timeoutMs: 15_000,
        resend: true,
        ...order,
      }),
    /** Brings the hot paths into the L1 of every worker. */
    async warm() {
      for (let round = 0; round < readsToKeep; round += 1)
        for (const own of upstreams) await Promise.all(hot.map((each) => get(`http://${own}${each}`)));
    },
  };
}

/** Servers for one fault, beside the chain. @param {RigOptions} options @param {Chain} chain */
const standalone = ({ dir, port }, { upstreams }) => ({
  /**
   * Another nginx, on `port + 7`, with TLS on the next one.
   * @param {string} name of its folder, which is emptied
   * @param {{ workers?: string[], tls?: 'ECDSA' | 'RSA' }} [own] `tls`: the kind of its certificate
   */
  async startNginx(name, { workers = upstreams, tls: kind } = {}) {
    const place = { dir: path.join(dir, name), port: port + 7, tlsPort: port + 8 };
    fs.rmSync(place.dir, { recursive: true, force: true });
    fs.mkdirSync(place.dir);
    const made = kind && makeCertificate(place.dir, { kind });
    if (kind && !made) throw new Error('openssl made no certificate');
    const tls = made ? { certificate: made.certFile, key: made.keyFile, port: place.tlsPort } : undefined;
    return { ...(await startNginx({ ...place, workers, tls })), ...place };
  },
});

module.exports = { kinds, openRig, withLongLists };
