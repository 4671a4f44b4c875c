'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { promisify } = require('node:util');
const { environment } = require('../lib/environment');
const { interrupted } = require('./running');

const run = promisify(execFile);
const script = path.join(__dirname, 'paths.lua');

/** Seeds the order of the paths; otherwise every start of wrk would request the same paths in the same order. */
let starts = 0;

/** @type {Record<string, number>} */
const msPerUnit = { us: 0.001, ms: 1, s: 1000 };

/**
 * @typedef {object} WrkResult
 * @property {number} rps
 * @property {number} p99Ms
 * @property {number} errors replies outside 2xx and sockets that failed
 */

/** @param {string} text wrk's latency: `1.23ms`, `45.00us`, `1.02s` */
function milliseconds(text) {
  const [, number, unit = ''] = /^([\d.]+)(us|ms|s)$/.exec(text) ?? [];
  return Number(number) * msPerUnit[unit];
}

/** @param {string} output @returns {WrkResult} */
function parseWrk(output) {
  const rps = Number(/^Requests\/sec:\s+([\d.]+)/m.exec(output)?.[1]);
  const p99Ms = milliseconds(/^\s+99%\s+(\S+)/m.exec(output)?.[1] ?? '');
  const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1] ?? 0);
  const sockets = [...(/Socket errors: (.*)/.exec(output)?.[1] ?? '').matchAll(/\d+/g)];
  const errors = refused + sockets.reduce((sum, [count]) => sum + Number(count), 0);
  if (!(rps > 0)) throw new Error(`wrk measured nothing:\n${output}`);
  return { rps, p99Ms, errors };
}

/**
 * Closed-loop traffic from one core, the other being the server's; the paths in random order.
 * @param {object} options
 * @param {number} options.port
 * @param {string} options.paths a file, one path a line
 * @param {number} options.seconds
 * @param {number} [options.connections]
 * @param {string} [options.cpu] as taskset writes it
 * @param {string[]} [options.headers] `Name: value`
 * @returns {Promise<WrkResult>}
 */
async function wrk({ port, paths, seconds, connections = 32, cpu = '1', headers = [] }) {
  const words = [
    ...['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`],
    ...headers.flatMap((header) => ['--header', header]),
  ];
  const url = `http://127.0.0.1:${port}`;
  const { stdout } = await run('taskset', ['--cpu-list', cpu, 'wrk', ...words, '--latency', '--script', script, url], {
    env: environment('tool', { PATHS: paths, START: String((starts += 1)) }),
    signal: interrupted,
  });
  return parseWrk(stdout);
}

/** @returns {boolean} whether wrk is installed */
const hasWrk = () => (process.env.PATH ?? '').split(':').some((folder) => fs.existsSync(path.join(folder, 'wrk')));

module.exports = { hasWrk, parseWrk, wrk };
