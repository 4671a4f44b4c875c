'use strict';
const { findStack, runningStack } = require('../local/state');

/**
 * What is measured, and where its workers publish metrics.
 * `workers`: as host:port, if they are known. `database`: has the correct replies. `isOwn`: it is certainly the database of the URL,
 * and not only of the stack on this machine.
 * @typedef {{ url: string, metrics: string[], workers: string[], database: string | undefined, isOwn: boolean }} Target
 */

/**
 * @param {Pick<import('./options').Options, 'url' | 'metrics' | 'state' | 'database'>} options
 * @returns {Target}
 * @throws {import('../lib/command-line').UsageError} when no stack runs and none is named
 */
function findTarget({ url, metrics, state, database }) {
  const stack = findStack(state);
  const measured = url ?? runningStack(state, 'name the service: --url URL').url;
  // The metrics of the stack on this machine say nothing about a service elsewhere.
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
