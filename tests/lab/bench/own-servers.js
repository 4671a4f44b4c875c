'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { apps } = require('../../../ecosystem.config');
const { renderNginx } = require('../../../nginx/render');
const { environment } = require('../../../scripts/lib/environment');
const { listens } = require('../../../scripts/lib/probe');
const { isAlive } = require('../../../scripts/lib/proc');
const { spawnDaemon, stopPid } = require('../../../scripts/lib/process');
const { runOrThrow } = require('../../../scripts/lib/run');
const { binaries, root } = require('../../../scripts/lib/runtime');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { memoryFolder } = require('../../../scripts/local/nginx');
const { freePort } = require('../../../scripts/local/ports');
const { withClient } = require('../../../scripts/local/roles');
const { startValkey } = require('../../../scripts/local/valkey');
const { pathsFile } = require('./dataset');
const { register } = require('./running');
/** @import { Dataset } from './dataset' */

/* The servers that are measured, and the baselines beside them. */

const startTimeoutMs = 30_000;
const stopTimeoutMs = 15_000;
const bothCores = '0,1';
/** The least that the setting allows: a dozen replies, so that random ids over a million are never cached. */
const noCacheBytes = 65_536;
const openFiles = 8192;

/** @typedef {{ port: number, pid: number, stop: () => Promise<void> }} Server to be measured */

/**
 * Starts a server on the given cores, all servers of a comparison on the same ones, and waits until it listens.
 * @param {string[]} command
 * @param {{ port: number, env?: NodeJS.ProcessEnv, cpu?: string, log: string }} options
 * @returns {Promise<Server>}
 */
async function startPinned(command, { port, env, cpu = '0', log }) {
  const server = await spawnDaemon(['taskset', '--cpu-list', cpu, ...command], {
    log,
    env: environment('server', env),
  });
  const { pid } = server;
  const stop = register(() => stopPid(pid, 'SIGTERM', stopTimeoutMs));
  const up = await waitUntil(async () => !isAlive(pid) || (await listens(`tcp://127.0.0.1:${port}`)), startTimeoutMs);
  if (!up || !isAlive(pid)) throw new Error(`${command.join(' ')} does not listen: see ${log}`);
  return { port, pid, stop };
}

/**
 * Starts nginx with a configuration that says `worker_processes auto`: that counts the cores of the machine, so it gets as many
 * as it may use.
 * @param {{ dir: string, name: string, cpu: string }} place @param {(port: number, work: string) => string} configure
 */
async function startNginx({ dir, name, cpu }, configure) {
  const port = await freePort();
  const work = path.join(dir, `nginx-${name}`);
  fs.rmSync(work, { recursive: true, force: true });
  fs.mkdirSync(work, { recursive: true });
  const config = path.join(work, 'nginx.conf');
  const processes = `worker_processes ${cpu.split(',').length};`;
  fs.writeFileSync(config, configure(port, work).replace('worker_processes auto;', processes));
  return startPinned([binaries().nginx, '-p', work, '-c', config], { port, cpu, log: path.join(work, 'start.log') });
}

/** @param {Dataset} dataset @param {NodeJS.ProcessEnv} own variables @param {string} script @param {string} [cpu] with the memory that PM2 gives it */
async function startProgram({ postgres, log }, own, script, cpu) {
  const port = Number(own.PORT ?? own.WRITE_PORT);
  const env = { ...apps[0].env, DATABASE_URL: postgres.dsn('api'), LOG_LEVEL: 'warn', ...own };
  return startPinned([process.execPath, ...apps[0].node_args, path.join(root, script)], { port, env, log, cpu });
}

/**
 * @param {Dataset} dataset @param {{ redisUrl?: string, l1Bytes?: number, cpu?: string }} [options]
 * @returns {Promise<Server>}
 */
async function startWorker(dataset, { redisUrl = '', l1Bytes, cpu } = {}) {
  const [PORT, ADMIN_PORT] = [String(await freePort()), String(await freePort())];
  const cache = l1Bytes === undefined ? {} : { L1_MAX_BYTES: String(l1Bytes) };
  return startProgram(dataset, { PORT, ADMIN_PORT, REDIS_URL: redisUrl, ...cache }, 'server/index.js', cpu);
}

/** @param {Dataset} dataset @returns {Promise<Server & { key: string }>} a writer, and a key for everything */
async function startWriter(dataset) {
  const [WRITE_PORT, WRITE_ADMIN_PORT] = [String(await freePort()), String(await freePort())];
  const make = [path.join(root, 'scripts/key.js'), 'create', `bench-${WRITE_PORT}-${Date.now()}`];
  const command = [process.execPath, ...make, '--scopes', 'content,history,stock,changes'];
  const { postgres } = dataset;
  const key = await runOrThrow(command, { LOADER_DATABASE_URL: postgres.dsn('loader') }, { keepOutput: true });
  const own = { WRITE_PORT, WRITE_ADMIN_PORT, WRITE_DATABASE_URL: postgres.dsn('writer') };
  return { ...(await startProgram(dataset, own, 'server/writer/index.js', bothCores)), key: key.trim() };
}

/** An empty Valkey with the settings of the service. @param {Dataset} dataset @returns {Promise<string>} its URL */
async function startCache({ dir }) {
  const folder = path.join(dir, 'cache');
  fs.mkdirSync(folder, { recursive: true });
  const valkey = await startValkey({ dir: folder });
  register(valkey.stop);
  return valkey.url;
}

/**
 * nginx with the configuration of the service, in front of these workers.
 * @param {Pick<Dataset, 'dir'>} dataset @param {Pick<Server, 'port'>[]} workers @param {string} [cpu]
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

/** nginx with bodies as files, and a file of their paths. @param {string} dir @param {string[]} bodies */
async function startStatic(dir, bodies) {
  const files = path.join(dir, 'static');
  fs.rmSync(files, { recursive: true, force: true });
  fs.mkdirSync(files);
  bodies.forEach((body, index) => fs.writeFileSync(path.join(files, `${index}.json`), body));
  const names = bodies.map((_, index) => `/${index}.json`);
  const server = await startNginx(
    { dir, name: 'static', cpu: '0' },
    (port, work) => `daemon off; user root; worker_processes auto;
      pid "${work}/nginx.pid"; error_log "${work}/error.log"; events { worker_connections 4096; }
      http {
        access_log off; keepalive_requests 1000000000; open_file_cache max=4000; types { application/json json; }
        server { listen 127.0.0.1:${port}; root "${files}"; }
      }`,
  );
  return { server, paths: pathsFile(dir, 'static', names) };
}

const constant = `const [port, file] = process.argv.slice(1);
const body = require('node:fs').readFileSync(file);
const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length };
const answer = (request, response) => response.writeHead(200, headers).end(body);
require('node:http').createServer(answer).listen(Number(port), '127.0.0.1');`;

/** The same bytes for every request, from node:http. @param {string} file @param {Dataset} dataset */
async function startConstant(file, { log }) {
  const port = await freePort();
  return startPinned([process.execPath, '--eval', constant, String(port), file], { port, log });
}

/** The write-back of the article, on a table of its own with the quantities. @param {Dataset} dataset */
async function startWriteBack(dataset) {
  const dsn = dataset.postgres.superuserDsn('catalog');
  await withClient(dsn, async (client) => {
    await client.query(`DROP TABLE IF EXISTS bench_write_back;
      CREATE TABLE bench_write_back (id int PRIMARY KEY, quantity int NOT NULL);
      INSERT INTO bench_write_back SELECT id, quantity FROM catalog.skus; ANALYZE bench_write_back`);
  });
  const port = await freePort();
  const words = [path.join(__dirname, 'write-back.js'), String(port), dsn, await startCache(dataset)];
  const server = await startPinned([process.execPath, ...words], { port, log: dataset.log, cpu: bothCores });
  return { ...server, key: '' };
}

const burning = `const share = Number(process.argv[1]);
const cell = new Int32Array(new SharedArrayBuffer(4));
for (;;) {
  for (const end = performance.now() + 10 * share; performance.now() < end; );
  Atomics.wait(cell, 0, 0, 10 * (1 - share));
}`;

/** Takes a share of one core, wherever it is. @param {number} share @param {string} log @returns {Promise<() => Promise<void>>} stops it */
async function startBurning(share, log) {
  const command = ['taskset', '--cpu-list', bothCores, process.execPath, '--eval', burning, String(Math.min(1, share))];
  const { pid } = await spawnDaemon(command, { log, env: environment('server') });
  return register(() => stopPid(pid, 'SIGKILL', stopTimeoutMs));
}

module.exports = {
  bothCores,
  noCacheBytes,
  startBurning,
  startCache,
  startConstant,
  startFront,
  startStatic,
  startWorker,
  startWriteBack,
  startWriter,
};
