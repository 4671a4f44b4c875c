'use strict';
const { once } = require('node:events');
const net = require('node:net');
const path = require('node:path');
const { apps } = require('../../ecosystem.config');
const { makeCertificate } = require('../lib/certificate');
const { root } = require('../lib/runtime');
const { freePort, start } = require('./contestants');
const { startCollector } = require('./peers/new-relic');
/** @import { Stage } from './stage' */
/** @import { Contestant } from './contestants' */

/** @typedef {Record<string, Contestant & { adminPort: number }>} Workers */

const all = 'all eyes, dead collector';

/** @returns {Promise<net.Server>} a collector that takes what is sent and never answers */
async function startDeafCollector() {
  const server = net.createServer((socket) => socket.on('error', () => {}).resume());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** @param {net.Server} server */
const portOf = (server) => /** @type {net.AddressInfo} */ (server.address()).port;

/**
 * The same worker, looked at more and more closely.
 * @param {Stage} stage @param {NodeJS.ProcessEnv} settings
 */
async function startWorkers({ dir, postgres }, settings) {
  const log = path.join(dir, 'bench.log');
  const deaf = await startDeafCollector();
  const certificate = makeCertificate(dir);
  const collector = certificate && (await startCollector(certificate));
  const own = path.join(root, 'server/index.js');
  const blind = path.join(__dirname, 'peers/blind.js');
  const tracing = { OTLP_TRACES_URL: `http://127.0.0.1:${portOf(deaf)}/v1/traces` };
  /** @type {Workers} */
  const workers = {};
  const add = async (
    /** @type {string} */ name,
    /** @type {string} */ script,
    /** @type {NodeJS.ProcessEnv} */ more,
  ) => {
    const [port, adminPort] = [await freePort(), await freePort()];
    const ports = { PORT: String(port), ADMIN_PORT: String(adminPort) };
    // The log goes to a file, as PM2 has it.
    const env = { DATABASE_URL: postgres.dsn('api'), ...ports, ...settings, ...more };
    const command = [process.execPath, ...apps[0].node_args, script];
    workers[name] = { ...(await start(command, { port, env, log })), adminPort };
  };
  await add('blind', blind, { ACCESS_LOG_RATIO: '0' });
  await add('blind as well', blind, { ACCESS_LOG_RATIO: '0' });
  await add('metrics and log', own, {});
  await add(all, own, tracing);
  if (collector && certificate) {
    await add('New Relic', own, {
      NEW_RELIC_LICENSE_KEY: 'x'.repeat(40),
      NEW_RELIC_HOST: '127.0.0.1',
      NEW_RELIC_PORT: String(collector.port),
      NODE_EXTRA_CA_CERTS: certificate.certFile,
    });
  }
  return {
    workers,
    async stop() {
      await Promise.all(Object.values(workers).map((worker) => worker.stop()));
      deaf.close();
      collector?.close();
    },
  };
}

module.exports = { all, startWorkers };
