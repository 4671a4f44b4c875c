'use strict';
const path = require('node:path');

const { apps } = require('../../../ecosystem.config');
const { environment } = require('../../../scripts/lib/environment');
const { get } = require('../../../scripts/lib/probe');
const { isAlive } = require('../../../scripts/lib/proc');
const { spawnDaemon, stopPid } = require('../../../scripts/lib/process');
const { root } = require('../../../scripts/lib/runtime');
const { waitUntil } = require('../../../scripts/lib/wait-until');

const timeoutMs = 15_000;

/** @param {number[]} adminPorts @param {string} path */
const getAll = (adminPorts, path) => Promise.all(adminPorts.map((port) => get(`http://127.0.0.1:${port}${path}`)));

/** @param {number[]} adminPorts @returns {Promise<boolean>} whether nginx would send requests to all of these workers */
const allReady = async (adminPorts) => (await getAll(adminPorts, '/readyz')).every(({ status }) => status === 200);

/** @param {number[]} adminPorts @returns {Promise<boolean>} whether every worker has stopped querying Redis */
const cachesDown = async (adminPorts) =>
  (await getAll(adminPorts, '/readyz')).every(({ body }) => JSON.parse(body).cache === 'down');

/**
 * @param {number[]} adminPorts
 * @param {string} name of a counter, with labels or without: `catalog_reads_total{tier="l2"}`
 * @returns {Promise<number>} its sum over these workers
 * @throws when one of them does not report it; with labels its event may not have happened yet
 */
async function counterOf(adminPorts, name) {
  const replies = await getAll(adminPorts, '/metrics');
  const lines = replies.map(({ body }) => body.split('\n').filter((line) => line.startsWith(name)));
  if (!name.includes('{') && lines.some(({ length }) => length === 0))
    throw new Error(`a worker does not report its ${name}`);
  return lines.flat().reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/**
 * A worker without a process manager: its end is visible.
 * @param {{ port: number, log: string }} place its admin listener is on the next port
 * @param {Record<string, string>} settings
 */
async function startWorker({ port, log }, settings) {
  const own = { PORT: String(port), ADMIN_PORT: String(port + 1) };
  const { pid } = await spawnDaemon([process.execPath, ...apps[0].node_args, path.join(root, 'server/index.js')], {
    log,
    env: environment('server', { ...settings, ...own }),
  });
  const url = `http://127.0.0.1:${port}`;
  await waitUntil(async () => !isAlive(pid) || (await get(`${url}/openapi.json`)).status === 200, timeoutMs);
  return {
    url,
    isAlive: () => isAlive(pid),
    isReady: () => allReady([port + 1]),
    stop: () => stopPid(pid, 'SIGTERM', timeoutMs),
  };
}

module.exports = { allReady, cachesDown, counterOf, startWorker };
