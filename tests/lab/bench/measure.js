'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { get } = require('../../../scripts/lib/probe');
const { peakResidentMb } = require('../../../scripts/lib/proc');
const { quantile } = require('../testbed/quantile');
const { runOrThrow } = require('../../../scripts/lib/run');
const { binaries } = require('../../../scripts/lib/runtime');
const { startLoad } = require('../testbed/loadgen/load');
const { interrupted } = require('./running');
/** @import { Options, Row, Target } from './report' */
/** @import { Server } from './own-servers' */

const script = path.join(__dirname, 'paths.lua');

/** Seeds the order of the paths; otherwise every start of wrk would request the same paths in the same order. */
let starts = 0;
const workerMemoryMb = 150;

const patience = { maxConnections: 2000, timeoutMs: 5000, resend: true };

/** @type {Record<string, number>} */
const msPerUnit = { us: 0.001, ms: 1, s: 1000 };

/** `errors`: replies outside 2xx and sockets that failed. @typedef {{ rps: number, p99Ms: number, errors: number }} WrkResult */
/** A measurement may have no latency, or nothing that can fail. @typedef {Pick<WrkResult, 'rps'> & Partial<WrkResult>} Measured */

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
 * @param {{ port: number, paths: string, seconds: number, connections?: number, headers?: string[] }} options `paths`: a file, one path a line;
 *   `headers`: `Name: value`
 * @returns {Promise<WrkResult>}
 */
async function wrk({ port, paths, seconds, connections = 32, headers = [] }) {
  const words = `--threads 1 --connections ${connections} --duration ${seconds}s --latency --script`.split(' ');
  const own = headers.flatMap((header) => ['--header', header]);
  const command = ['taskset', '--cpu-list', '1', 'wrk', ...words, script, ...own, `http://127.0.0.1:${port}`];
  const env = { PATHS: paths, START: String((starts += 1)) };
  return parseWrk(await runOrThrow(command, env, { keepOutput: true, signal: interrupted }));
}

/** @typedef {(rate: number, seconds: number) => Promise<WrkResult>} Send at a constant rate */

/**
 * Requests the paths of a file in turn. Each run continues where the previous one ended.
 * @param {{ port: number }} server @param {string} file
 * @returns {Send}
 */
function trafficTo({ port }, file) {
  let first = 0;
  return async (rate, seconds) => {
    const count = Math.round(rate * seconds);
    const target = { host: '127.0.0.1', port };
    const order = { target, rate, count, inTurn: { file, first }, ...patience };
    const { ok, p99Ms } = (await (await startLoad(order, interrupted)).ended).all();
    first += count;
    return { rps: rate, p99Ms, errors: count - ok };
  };
}

/**
 * @param {{ port: number }} server @param {string} target @param {import('node:http').Agent} [agent]
 * @returns {Promise<string>} the body of a 200
 */
async function bodyOf({ port }, target, agent) {
  const { status, body } = await get(`http://127.0.0.1:${port}${target}`, agent);
  if (status !== 200) throw new Error(`${target} answers ${status}: ${body}`);
  return body;
}

/** @param {number[]} values @returns {number} */
const median = (values) => quantile(Float64Array.from(values).sort(), 0.5);

/**
 * Several measurements as one row: the median, and every error.
 * @param {string} route @param {string} what @param {Measured[]} runs
 */
const rowOf = (route, what, runs) => ({
  route,
  what,
  rps: median(runs.map(({ rps }) => rps)),
  p99Ms: median(runs.map(({ p99Ms = NaN }) => p99Ms)),
  errors: runs.reduce((sum, { errors = 0 }) => sum + errors, 0),
});

/**
 * Measures servers in turn, A B C A B C …: when the speed of the machine drifts, it drifts for all.
 * @param {string} route @param {Record<string, () => Promise<Measured>>} measurements @param {Omit<Options, 'products'>} options
 * @returns {Promise<Row[]>} one of each
 */
async function rowsOf(route, measurements, { rounds, say }) {
  /** @type {Record<string, Measured[]>} */
  const results = Object.fromEntries(Object.keys(measurements).map((name) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, measure] of Object.entries(measurements)) {
      say(`${route}: ${name}, round ${round} of ${rounds}`);
      results[name].push(await measure());
    }
  }
  return Object.entries(results).map(([what, runs]) => rowOf(route, what, runs));
}

/** @param {Row[]} rows @returns {(name: string) => number} requests a second of a server or a route */
const rpsOf = (rows) => (name) => rows.find(({ route, what }) => [route, what].includes(name))?.rps ?? NaN;

/**
 * The database alone, with prepared statements and without a service. It may use both cores.
 * @param {string} dsn @param {string[]} options of pgbench, with `--file` or `--builtin` @param {number} seconds
 */
async function runPgbench(dsn, options, seconds) {
  const usual = ['--no-vacuum', '--protocol', 'prepared', '--client', '16', '--jobs', '2'];
  const command = [path.join(binaries().postgresBin, 'pgbench'), ...usual, ...options, '--time', String(seconds), dsn];
  const output = await runOrThrow(command, {}, { keepOutput: true, signal: interrupted });
  return { rps: Number(/^tps = ([\d.]+)/m.exec(output)?.[1]) };
}

/**
 * Read while the workers still run.
 * @param {Pick<Server, 'pid'>[]} workers @param {Partial<Target>} [more] @returns {Target} the largest worker of a part
 */
const memoryTarget = (workers, more) => ({
  what: 'peak memory of a worker, MB',
  atMost: workerMemoryMb,
  is: Math.max(...workers.map(({ pid }) => peakResidentMb(pid))),
  ...more,
});

/** @returns {boolean} whether wrk is installed */
const hasWrk = () => (process.env.PATH ?? '').split(':').some((folder) => fs.existsSync(path.join(folder, 'wrk')));

module.exports = { bodyOf, hasWrk, median, memoryTarget, parseWrk, rowsOf, rpsOf, runPgbench, trafficTo, wrk };
