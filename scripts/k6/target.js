'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { UsageError } = require('../lib/options');

/**
 * What is measured, and where its workers tell of themselves.
 * @typedef {{ url: string, metrics: string[] }} Target
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
  const adminPorts = /** @type {number[]} */ (ours ? stack.adminPorts : []);
  return {
    url: url ?? stack.url,
    metrics: metrics ?? adminPorts.map((port) => `http://127.0.0.1:${port}/metrics`),
  };
}

module.exports = { findTarget };
