'use strict';
const { findStack, runningStack } = require('../lib/state');

/**
 * What is measured, and where its workers tell of themselves.
 * @typedef {object} Target
 * @property {string} url
 * @property {string[]} metrics
 * @property {string[]} workers as host:port, where they are known
 * @property {string | undefined} database that says what each reply must be
 * @property {boolean} isOwn whether it is known to be the database of the URL, and not only of the stack that runs here
 */

/**
 * @param {Pick<import('./options').Options, 'url' | 'metrics' | 'state' | 'database'>} options
 * @returns {Target}
 * @throws {import('../lib/command-line').UsageError} when no stack runs and none is named
 */
function findTarget({ url, metrics, state, database }) {
  const stack = findStack(state);
  const measured = url ?? runningStack(state, 'name the service: --url URL').url;
  // The figures of the stack on this machine say nothing about a service elsewhere.
  const { adminPorts = [], workerPorts = [] } = stack?.url === measured ? stack : {};
  const loopback = (/** @type {number} */ port) => `127.0.0.1:${port}`;
  return {
    url: measured,
    metrics: metrics ?? adminPorts.map((port) => `http://${loopback(port)}/metrics`),
    workers: workerPorts.map(loopback),
    database: database ?? stack?.loaderDsn,
    isOwn: database !== undefined || stack?.url === measured,
  };
}

module.exports = { findTarget };
