'use strict';
const { get } = require('../lib/probe');

/** @param {number[]} adminPorts @returns {Promise<boolean>} whether all of these workers would be given requests */
async function allReady(adminPorts) {
  const replies = await Promise.all(adminPorts.map((port) => get(`http://127.0.0.1:${port}/readyz`)));
  return replies.every(({ status }) => status === 200);
}

/**
 * @param {number[]} adminPorts
 * @param {string} name of a counter, with labels or without: `catalog_reads_total{tier="l2"}`
 * @returns {Promise<number>} its sum over these workers
 * @throws when one of them does not tell it; with labels it may just not have happened yet
 */
async function counterOf(adminPorts, name) {
  const replies = await Promise.all(adminPorts.map((port) => get(`http://127.0.0.1:${port}/metrics`)));
  const told = replies.map(({ body }) => body.split('\n').filter((line) => line.startsWith(name)));
  if (!name.includes('{') && told.some(({ length }) => length === 0))
    throw new Error(`a worker does not tell its ${name}`);
  return told.flat().reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

module.exports = { allReady, counterOf };
