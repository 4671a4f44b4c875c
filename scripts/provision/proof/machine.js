'use strict';
const { strict: assert } = require('node:assert');
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { childrenOf, readOrNothing } = require('../../lib/proc');
const { stopPid } = require('../../lib/process');
const { waitUntil } = require('../../lib/wait-until');

const bootTimeoutMs = 60_000;

/**
 * A machine for testing provisioning: a folder with a bare distribution. It is entered like an image in its build (no init, the
 * host's network), or booted with systemd (its own network with loopback only).
 */
class Machine {
  /** @type {import('node:child_process').ChildProcess | null} */
  #boot = null;
  /** @type {number} pid on the host of the booted machine's systemd */
  #init = 0;

  /** @param {string} root @param {string} cache folder of downloads */
  constructor(root, cache) {
    this.root = root;
    this.cache = cache;
  }

  /**
   * @param {string} script for bash
   * @param {NodeJS.ProcessEnv} [env] its environment
   * @returns {{ status: number, output: string }}
   */
  run(script, env = {}) {
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const words = ['env', ...settings, 'bash', '-euo', 'pipefail', '-c', script];
    const place = this.#init
      ? ['nsenter', '--target', String(this.#init), '--all', '--root', '--wd', 'env', '-i', ...this.#login()]
      : [path.join(__dirname, 'enter.sh'), this.root, this.cache];
    const [program, ...rest] = [...place, ...words];
    const { status, stdout, stderr, error } = spawnSync(program, rest, {
      encoding: 'utf8',
      // On a socket, such as a pipe of Node, bash assumes a remote shell and reads its start-up files.
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 2 ** 28,
    });
    if (error) throw error;
    return { status: status ?? 1, output: `${stdout}${stderr}` };
  }

  /** @param {string} script @param {NodeJS.ProcessEnv} [env] @returns {string} output */
  must(script, env) {
    const { status, output } = this.run(script, env);
    assert.equal(status, 0, `exit status ${status} of\n${script}\n${output}`);
    return output;
  }

  #login() {
    return ['HOME=/root', 'LC_ALL=C.UTF-8', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'];
  }

  /**
   * Resolves when every unit has started or failed.
   * @param {{ address: string, network: string }} [link] its address on the bridge of a network namespace
   */
  async boot(link) {
    const words = link ? [link.address, link.network] : [];
    const log = fs.openSync(`${this.root}.boot.log`, 'a');
    this.#boot = spawn(path.join(__dirname, 'boot.sh'), [this.root, ...words], {
      stdio: ['ignore', log, log],
    });
    const found = await waitUntil(() => Boolean((this.#init = this.#findInit())), bootTimeoutMs);
    if (!found) throw new Error(`${this.root} did not boot: see ${this.root}.boot.log`);
    const settled = () => /running|degraded/.test(this.run('systemctl is-system-running || true').output);
    if (!(await waitUntil(settled, bootTimeoutMs)))
      throw new Error(`${this.root} does not finish booting:\n${this.run('systemctl list-jobs || true').output}`);
  }

  /** boot.sh → unshare → systemd, once it has taken over from bash */
  #findInit() {
    const [unshare] = this.#boot?.pid ? childrenOf(this.#boot.pid) : [];
    const [init] = unshare ? childrenOf(unshare) : [];
    return init && readOrNothing(`/proc/${init}/comm`) === 'systemd\n' ? init : 0;
  }

  async stop() {
    const pid = this.#boot?.pid;
    if (pid) await stopPid(pid, 'SIGTERM', bootTimeoutMs);
    this.#boot = null;
    this.#init = 0;
  }
}

exports.Machine = Machine;
