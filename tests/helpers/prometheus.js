'use strict';

const { execFileSync, spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { waitUntil } = require('../../scripts/lib/process');
const { runtimeDir } = require('../../scripts/lib/runtime');

const kept = path.join(runtimeDir, 'prometheus');
const downloadTimeoutMs = 60_000;
const startTimeoutMs = 20_000;

/** @param {string} dir @returns {{ prometheus: string, promtool: string } | null} */
function inFolder(dir) {
  const [prometheus, promtool] = ['prometheus', 'promtool'].map((name) => path.join(dir, name));
  return [prometheus, promtool].every((file) => fs.existsSync(file)) ? { prometheus, promtool } : null;
}

/** Debian's package, unpacked and not installed: that needs no root, and starts no service. */
function unpackDebianPackage() {
  const draft = `${kept}.${process.pid}`;
  fs.mkdirSync(draft, { recursive: true });
  const run = (/** @type {string} */ program, /** @type {string[]} */ words) =>
    execFileSync(program, words, { cwd: draft, stdio: 'ignore', timeout: downloadTimeoutMs });
  try {
    // A fresh container has no list of packages; elsewhere the list is its owner's to bring up to date.
    if (process.env.CI) run('apt-get', ['update']);
    run('apt-get', ['download', 'prometheus']);
    const [file] = fs.readdirSync(draft).filter((name) => name.endsWith('.deb'));
    run('dpkg', ['-x', file, '.']);
    fs.rmSync(path.join(draft, file));
    fs.renameSync(draft, kept);
  } catch {
    // Not Debian, no network, or a list of packages that is too old: the caller says that it is missing.
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Prometheus and promtool: on PATH, kept from an earlier run, or out of Debian's package.
 * @returns {{ prometheus: string, promtool: string } | null} null: cannot be had here
 */
function findPrometheus() {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const unpacked = path.join(kept, 'usr/bin');
  const found = () => [...folders, unpacked].map(inFolder).find(Boolean) ?? null;
  if (!found()) unpackDebianPackage();
  return found();
}

/**
 * Prometheus with a configuration.
 * @param {string} binary @param {string} dir @param {string} config file @param {number} port
 */
async function startPrometheus(binary, dir, config, port) {
  const log = fs.openSync(path.join(dir, 'prometheus.log'), 'a');
  const words = [`--config.file=${config}`, `--storage.tsdb.path=${path.join(dir, 'data')}`];
  const child = spawn(binary, [...words, `--web.listen-address=127.0.0.1:${port}`], {
    stdio: ['ignore', log, log],
  });
  fs.closeSync(log);
  const ended = new Promise((resolve) => child.once('close', resolve));
  const url = `http://127.0.0.1:${port}`;
  const ready = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  if (!(await waitUntil(ready, startTimeoutMs))) throw new Error(`see ${dir}/prometheus.log`);
  return {
    /** @param {string} expr @returns {Promise<any[]>} the samples of an instant query */
    async query(expr) {
      const response = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expr })}`);
      const { status, data, error } = /** @type {any} */ (await response.json());
      if (status !== 'success') throw new Error(`${expr}: ${error}`);
      return data.result;
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

module.exports = { findPrometheus, startPrometheus };
