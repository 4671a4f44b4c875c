'use strict';
const { once } = require('node:events');
const net = require('node:net');
const path = require('node:path');
const { apps } = require('../../ecosystem.config');
const { makeCertificate } = require('../lib/certificate');
const { freePort } = require('../lib/ports');
const { root } = require('../lib/runtime');
const { start } = require('./contestants');
const { startCollector } = require('./peers/new-relic');
/** @import { Dataset } from './dataset' */
/** @import { Contestant } from './contestants' */

/** @typedef {Contestant & { adminPort: number }} Watched */
/** @typedef {Record<string, { seeing: Watched, blind: Watched }>} Pairs */

const allEyes = 'all eyes, dead collector';

/** @returns {Promise<net.Server>} a collector that takes what is sent and never answers */
async function startDeafCollector() {
  const server = net.createServer((socket) => socket.on('error', () => {}).resume());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** @param {net.Server} server */
const portOf = (server) => /** @type {net.AddressInfo} */ (server.address()).port;

/**
 * The same worker, looked at more and more closely, each with a blind one of its own: the longer a worker has run, the
 * faster it is, so one that stood beside all of them in turn was 3 to 9 % ahead of a blind one.
 * @param {Dataset} dataset @param {NodeJS.ProcessEnv} settings
 */
async function startWorkers({ dir, postgres }, settings) {
  const log = path.join(dir, 'bench.log');
  const deaf = await startDeafCollector();
  const certificate = makeCertificate(dir);
  const collector = certificate && (await startCollector(certificate));
  const own = path.join(root, 'server/index.js');
  const blind = path.join(__dirname, 'peers/blind.js');
  const tracing = { OTLP_TRACES_URL: `http://127.0.0.1:${portOf(deaf)}/v1/traces` };
  const startOne = async (/** @type {string} */ script, /** @type {NodeJS.ProcessEnv} */ more) => {
    const [port, adminPort] = [await freePort(), await freePort()];
    const ports = { PORT: String(port), ADMIN_PORT: String(adminPort) };
    // The log goes to a file, as PM2 has it.
    const env = { DATABASE_URL: postgres.dsn('api'), ...ports, ...settings, ...more };
    const command = [process.execPath, ...apps[0].node_args, script];
    return { ...(await start(command, { port, env, log })), adminPort };
  };
  const unlogged = { ACCESS_LOG_RATIO: '0' };
  /** @type {Pairs} */
  const pairs = {};
  const add = async (/** @type {string} */ name, /** @type {string} */ script, /** @type {NodeJS.ProcessEnv} */ more) =>
    void (pairs[name] = {
      seeing: await startOne(script, more),
      blind: await startOne(blind, unlogged),
    });
  await add('blind as well', blind, unlogged);
  await add('metrics and log', own, {});
  await add(allEyes, own, tracing);
  if (collector && certificate) {
    await add('New Relic', own, {
      NEW_RELIC_LICENSE_KEY: 'x'.repeat(40),
      NEW_RELIC_HOST: '127.0.0.1',
      NEW_RELIC_PORT: String(collector.port),
      NODE_EXTRA_CA_CERTS: certificate.certFile,
    });
  }
  return {
    pairs,
    async stop() {
      const workers = Object.values(pairs).flatMap(({ seeing, blind: beside }) => [seeing, beside]);
      await Promise.all(workers.map((worker) => worker.stop()));
      deaf.close();
      collector?.close();
    },
  };
}

module.exports = { allEyes, startWorkers };
