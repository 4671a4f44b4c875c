'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { UsageError } = require('../lib/options');

/**
 * What is measured, and where its workers tell of themselves.
 * @typedef {{ url: string, metrics: string[], workers: string[] }} Target workers as host:port, where they are known
 */

/**
 * @param {Pick<import('./options').Options, 'url' | 'metrics' | 'state'>} options
 * @returns {Target}
 * @throws {UsageError} when no stack runs and none is named
 */
function findTarget({ url, metrics, state }) {
  const file = path.join(state, 'stack.json');
  const stack = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined;
  if (!url && !stack) {
    throw new UsageError(
      `no stack runs on ${state}: npm start, or name the service with --url URL`,
    );
  }
  // The figures of the stack on this machine say nothing about a service elsewhere.
  const ours = stack && (!url || url === stack.url);
  const { adminPorts = [], workerPorts = [] } = /** @type {Record<string, number[]>} */ (
    ours ? stack : {}
  );
  const loopback = (/** @type {number} */ port) => `127.0.0.1:${port}`;
  return {
    url: url ?? stack.url,
    metrics: metrics ?? adminPorts.map((port) => `http://${loopback(port)}/metrics`),
    workers: workerPorts.map(loopback),
  };
}

module.exports = { findTarget };
