'use strict';
const { get } = require('../lib/probe');

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

module.exports = { allReady, cachesDown, counterOf };
