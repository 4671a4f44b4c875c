'use strict';
const { findStack, runningStack } = require('../lib/state');

/**
 * What is measured, and where its workers tell of themselves.
 * @typedef {{ url: string, metrics: string[], workers: string[] }} Target workers as host:port, where they are known
 */

/**
 * @param {Pick<import('./options').Options, 'url' | 'metrics' | 'state'>} options
 * @returns {Target}
 * @throws {import('../lib/command-line').UsageError} when no stack runs and none is named
 */
function findTarget({ url, metrics, state }) {
  const stack = findStack(state);
  const measured = url ?? runningStack(state, 'name the service: --url URL').url;
  // The figures of the stack on this machine say nothing about a service elsewhere.
  const { adminPorts = [], workerPorts = [] } = stack?.url === measured ? stack : {};
  const loopback = (/** @type {number} */ port) => `127.0.0.1:${port}`;
  return {
    url: measured,
    metrics: metrics ?? adminPorts.map((port) => `http://${loopback(port)}/metrics`),
    workers: workerPorts.map(loopback),
  };
}

module.exports = { findTarget };
