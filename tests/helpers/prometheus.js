'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { waitUntil } = require('../../scripts/lib/wait-until');
const { findPrograms } = require('./debian');

const startTimeoutMs = 20_000;

/** @returns {{ prometheus: string, promtool: string, blackbox: string } | null} null: not available here */
function findPrometheus() {
  const server = findPrograms(['prometheus'], ['prometheus', 'promtool']);
  const exporter = server && findPrograms(['prometheus-blackbox-exporter'], ['prometheus-blackbox-exporter']);
  if (!server || !exporter) return null;
  return {
    prometheus: server.prometheus,
    promtool: server.promtool,
    blackbox: exporter['prometheus-blackbox-exporter'],
  };
}

/**
 * Starts one of Prometheus' servers and waits until its path `ready` returns 200.
 * @param {string[]} command @param {{ dir: string, ready: string, env?: NodeJS.ProcessEnv }} options `dir`: of its log
 */
async function startServer([program, ...words], { dir, ready, env = process.env }) {
  const logFile = path.join(dir, `${path.basename(program)}.log`);
  const log = fs.openSync(logFile, 'a');
  const child = spawn(program, words, { env, stdio: ['ignore', log, log] });
  fs.closeSync(log);
  const ended = new Promise((resolve) => child.once('close', resolve));
  const answers = () =>
    fetch(ready).then(
      ({ ok }) => ok,
      () => false,
    );
  if (!(await waitUntil(answers, startTimeoutMs))) throw new Error(`see ${logFile}`);
  return {
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/**
 * Prometheus with a configuration.
 * @param {string} binary @param {string} dir @param {string} config file @param {number} port
 */
async function startPrometheus(binary, dir, config, port) {
  const url = `http://127.0.0.1:${port}`;
  const words = [`--config.file=${config}`, `--storage.tsdb.path=${path.join(dir, 'data')}`];
  const command = [binary, ...words, `--web.listen-address=127.0.0.1:${port}`];
  const { stop } = await startServer(command, { dir, ready: `${url}/-/ready` });
  return {
    stop,
    /** @param {string} expr @returns {Promise<any[]>} the samples of an instant query */
    async query(expr) {
      const response = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expr })}`);
      const { status, data, error } = /** @type {any} */ (await response.json());
      if (status !== 'success') throw new Error(`${expr}: ${error}`);
      return data.result;
    },
  };
}

/**
 * The blackbox exporter with a configuration.
 * @param {string} binary @param {string} dir @param {string} config file
 * @param {{ port: number, certFile: string }} options `certFile`: the only authority that it trusts
 */
async function startBlackbox(binary, dir, config, { port, certFile }) {
  const url = `http://127.0.0.1:${port}`;
  const command = [binary, `--config.file=${config}`, `--web.listen-address=127.0.0.1:${port}`];
  const env = { ...process.env, SSL_CERT_FILE: certFile };
  const { stop } = await startServer(command, { dir, ready: `${url}/-/healthy`, env });
  return {
    stop,
    /** @param {string} target @returns {Promise<string>} its verdict: "0" or "1" */
    async probe(target) {
      const response = await fetch(`${url}/probe?${new URLSearchParams({ module: 'catalog', target })}`);
      return /^probe_success (.*)$/m.exec(await response.text())?.[1] ?? '';
    },
  };
}

module.exports = { findPrometheus, startBlackbox, startPrometheus };
