'use strict';
const { createPrivateKey, X509Certificate } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { rateLimitOf } = require('../../nginx/rate-limit');
const { checkFiles, fillCatalog } = require('./catalog');
const { useDatabase, withoutPassword } = require('./database');
const { stateVariable, stopProcesses } = require('./leftovers');
const { startNginx } = require('./nginx');
const { startPm2 } = require('./pm2');
const { takePorts } = require('./ports');
const { startPostgres } = require('./postgres');
const { inspect, lackOf } = require('../lib/floors');
const { listens, probeRoutes } = require('../lib/probe');
const { binaries } = require('../lib/runtime');
const { lockServers, lockState, openState, plainReason, writePrivate } = require('./state');
const { requireSettings } = require('./start-settings');
const { supervise } = require('./supervise');
const { UsageError } = require('../lib/command-line');
const { startValkey } = require('./valkey');

const answerTimeoutMs = 30_000;

/**
 * @typedef {object} Context
 * @property {import('./start-options').StartOptions} options
 * @property {import('./ports').Ports} ports
 * @property {import('./state').State} state
 * @property {number} lock of the folder, kept by each server
 * @property {(line: string) => void} say
 * @property {AbortSignal} signal
 * @property {number} rateLimit of nginx
 * @property {(() => Promise<void>)[]} opened how to stop what was started, oldest first
 */

/**
 * One supervised part: said, timed, and remembered for the stop.
 * @template {import('./supervise').Server} T
 * @param {Context} context @param {string} name @param {() => Promise<T>} start @returns {Promise<T>}
 */
async function open({ say, signal, opened }, name, start) {
  const since = performance.now();
  say(`${name}: starting`);
  const { first, stop } = await supervise({ name, start, say });
  opened.push(stop);
  say(`${name}: ready after ${((performance.now() - since) / 1000).toFixed(1)} s`);
  signal.throwIfAborted();
  return first;
}

/** @param {Context} context @returns {Promise<import('./database').Dsns>} */
async function openDatabase(context) {
  const { state, lock, options, say, signal } = context;
  if (process.env.DATABASE_URL) return useDatabase(state, process.env);
  const server = await open(context, 'postgres', () =>
    startPostgres({ dir: state.dir, lock, workers: options.workers }, { say, signal }),
  );
  return { loader: server.dsn('loader'), api: server.dsn('api'), writer: server.dsn('writer') };
}

/** @param {Context} context @returns {Promise<string>} */
async function openRedis(context) {
  const { REDIS_URL } = process.env;
  if (REDIS_URL) {
    // The workers serve without it and try again.
    const ok = await listens(REDIS_URL);
    if (!ok) context.say(`REDIS_URL ${withoutPassword(REDIS_URL)} does not answer: serving without it`);
    return REDIS_URL;
  }
  return (await open(context, 'valkey', () => startValkey({ dir: context.state.dir, lock: context.lock }))).url;
}

/**
 * Refuses what would otherwise fail after the catalog is loaded.
 * @param {import('./start-options').StartOptions} options @throws {UsageError}
 */
async function refuseEarly({ data, loader, state, tls }) {
  requireSettings(state);
  requirePair(tls);
  if (data) await checkFiles(data, loader);
}

/**
 * @template T
 * @param {'certificate' | 'key'} name @param {string} file @param {(text: Buffer) => T} parse @returns {T} @throws {UsageError}
 */
function readPem(name, file, parse) {
  try {
    return parse(fs.readFileSync(file));
  } catch (error) {
    const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (error);
    const isOpenssl = code.startsWith('ERR_OSSL');
    const reason = isOpenssl ? `no ${name} in PEM that needs no password (${message})` : plainReason(error);
    throw new UsageError(`--${name} ${file}: ${reason}`);
  }
}

/** nginx would refuse them, but not before everything is loaded. @param {import('./start-options').StartOptions['tls']} tls */
function requirePair(tls) {
  if (!tls) return;
  const first = readPem('certificate', tls.certificate, (text) => new X509Certificate(text));
  if (first.checkPrivateKey(readPem('key', tls.key, createPrivateKey))) return;
  throw new UsageError(
    `--key ${tls.key} does not belong to the first certificate of ${tls.certificate}: name that one's`,
  );
}

/**
 * Starts the whole chain. If a part fails, those before it are stopped.
 * @param {import('./start-options').StartOptions} options
 * @param {{ say: (line: string) => void, signal: AbortSignal }} terminal
 * @returns {Promise<{ urls: string[], writer: string | null, isWhole: () => boolean, stop: () => Promise<void> }>} `urls`: http first,
 *   then https where it is served; `isWhole`: whether its folder is still there
 */
async function startStack(options, { say, signal }) {
  await refuseEarly(options);
  const state = openState(options.state);
  const isWhole = await lockState(state);
  fs.rmSync(state.stack, { force: true }); // of a killed start, whose pid another process may have by now
  const left = await stopProcesses(stateVariable, state.dir);
  if (left > 0) say(`an earlier start left ${left} processes running: stopped them`);
  const lock = await lockServers(state);
  process.env[stateVariable] = state.dir; // of all that is started from here on
  const ports = await takePorts(options, say);
  /** @type {Context} */
  const context = { options, ports, state, lock, say, signal, rateLimit: rateLimitOf(process.env), opened: [] };
  const stop = () => closeAll(context);
  try {
    return { ...(await openAll(context)), isWhole, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @param {Context} context @returns {Promise<{ urls: string[], writer: string | null }>} the public addresses, and the writer's */
async function openAll(context) {
  const { options, ports, state, lock, say, signal, rateLimit } = context;
  const database = await openDatabase(context);
  signal.throwIfAborted();
  const redis = await openRedis(context);
  await fillCatalog({ state, loaderDsn: database.loader, say, signal }, options);
  const [WRITE_PORT, WRITE_ADMIN_PORT] = ports.writePorts.map(String);
  const settings = {
    DATABASE_URL: database.api,
    REDIS_URL: redis,
    CATALOG_WORKERS: String(options.workers),
    CATALOG_WORKER_PORT: String(ports.workerPorts[0]),
    CATALOG_ADMIN_PORT: String(ports.adminPorts[0]),
    ...(database.writer && { WRITE_DATABASE_URL: database.writer, WRITE_PORT, WRITE_ADMIN_PORT }),
    ...(options.watch && { CATALOG_WATCH: 'on' }),
    PROFILING: 'on', // the admin listeners are on loopback here
  };
  await open(context, 'pm2', () => startPm2({ dir: state.dir, lock, settings, signal }));
  const workers = ports.workerPorts.map((port) => `127.0.0.1:${port}`);
  const tls = options.tls && { ...options.tls, port: /** @type {number} */ (ports.tlsPort) };
  const nginx = await open(context, 'nginx', () =>
    startNginx({ dir: state.dir, lock, port: ports.port, tls, workers, rateLimit }),
  );
  const url = `http://127.0.0.1:${ports.port}`;
  await probeRoutes(url, answerTimeoutMs);
  signal.throwIfAborted();
  const httpsUrl = tls && `https://127.0.0.1:${tls.port}`;
  const writePorts = database.writer ? ports.writePorts : [];
  describe(context, { url, httpsUrl, loaderDsn: database.loader, writePorts, programs: nameOld(nginx.program, say) });
  const writer = database.writer ? `http://127.0.0.1:${writePorts[0]}` : null;
  return { urls: httpsUrl ? [url, httpsUrl] : [url], writer };
}

/**
 * Says which of the programs that run here lack security fixes.
 * @param {import('../lib/floors').Installed} nginx @param {(line: string) => void} say @returns {import('../lib/floors').Installed[]}
 */
function nameOld(nginx, say) {
  const { postgresBin, valkeyServer } = binaries();
  const programs = [inspect('node', process.execPath), nginx];
  if (!process.env.DATABASE_URL) programs.push(inspect('postgres', path.join(postgresBin, 'postgres')));
  if (!process.env.REDIS_URL) programs.push(inspect('valkey', valkeyServer));
  for (const line of programs.map(lackOf).filter(Boolean)) say(line);
  return programs;
}

/**
 * Writes down what runs, for the other commands.
 * @param {Context} context @param {Pick<import('./state').RunningStack, 'url' | 'httpsUrl' | 'loaderDsn' | 'writePorts' | 'programs'>} facts
 */
function describe({ ports, state, opened }, facts) {
  const { workerPorts, adminPorts } = ports;
  /** @type {import('./state').RunningStack} */
  const stack = { pid: process.pid, ...facts, workerPorts, adminPorts };
  writePrivate(state.stack, stack);
  opened.push(async () => fs.rmSync(state.stack, { force: true }));
}

/** @param {Context} context */
async function closeAll({ opened, say, state }) {
  for (const stop of opened.splice(0).reverse()) {
    await stop().catch((error) => say(`while stopping: ${error.message}`));
  }
  fs.rmSync(state.run, { recursive: true, force: true }); // sockets, and PM2's list of old workers
}

module.exports = { startStack };
