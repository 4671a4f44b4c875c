'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { apps } = require('../../ecosystem.config');
const { environment } = require('../lib/environment');
const { get } = require('../lib/probe');
const { isAlive } = require('../lib/proc');
const { spawnDaemon, stopPid } = require('../lib/process');
const { root } = require('../lib/runtime');
const { waitUntil } = require('../lib/wait-until');

const startTimeoutMs = 15_000;
const stopTimeoutMs = 15_000;

/**
 * A worker without a process manager: what it does at its own start, and whether it ends, shows.
 * @param {{ port: number, log: string }} place its admin listener is on the port behind
 * @param {Record<string, string>} settings
 */
async function startStandaloneWorker({ port, log }, settings) {
  const adminUrl = `http://127.0.0.1:${port + 1}`;
  const startedMs = performance.now();
  const worker = await spawnDaemon([process.execPath, ...apps[0].node_args, path.join(root, 'server/index.js')], {
    log,
    pidFile: `${log}.pid`,
    env: environment('server', {
      ...settings,
      PORT: String(port),
      ADMIN_PORT: String(port + 1),
      NODE_OPTIONS: '--inspect-port=0',
    }),
  });
  const url = `http://127.0.0.1:${port}`;
  const answers = async () => !isAlive(worker.pid) || (await get(`${url}/openapi.json`)).status === 200;
  await waitUntil(answers, startTimeoutMs);
  return {
    url,
    adminUrl,
    port,
    pid: worker.pid,
    startedMs: performance.now() - startedMs,
    isAlive: () => isAlive(worker.pid),
    isReady: async () => (await get(`${adminUrl}/readyz`)).status === 200,
    async stop() {
      await stopPid(worker.pid, 'SIGTERM', stopTimeoutMs);
      fs.rmSync(`${log}.pid`, { force: true });
    },
  };
}

module.exports = { startStandaloneWorker };
