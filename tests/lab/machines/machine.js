'use strict';
const { strict: assert } = require('node:assert');
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { childrenOf, processTree, readOrNothing } = require('../../../scripts/lib/proc');
const { stopPid } = require('../../../scripts/lib/process');
const { waitUntil } = require('../../../scripts/lib/wait-until');

const bootTimeoutMs = 60_000;
const login = ['HOME=/root', 'LC_ALL=C.UTF-8', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'];

/** A machine for tests: a folder with a bare distribution, booted with systemd on the network of the administrator. */
class Machine {
  /** @type {import('node:child_process').ChildProcess | null} */
  #boot = null;
  /** @type {number} pid on the host of the booted machine's systemd */
  #init = 0;

  /** @param {string} root */
  constructor(root) {
    this.root = root;
  }

  /** @param {string} script for bash @returns {{ status: number, output: string }} */
  run(script) {
    const place = ['--target', String(this.#init), '--all', '--root', '--wd', 'env', '-i', ...login];
    const words = [...place, 'bash', '-euo', 'pipefail', '-c', `set -a; . /etc/environment; set +a\n${script}`];
    const { status, stdout, stderr, error } = spawnSync('nsenter', words, {
      encoding: 'utf8',
      // On a socket, such as a pipe of Node, bash assumes a remote shell and reads its start-up files.
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 2 ** 28,
    });
    if (error) throw error;
    return { status: status ?? 1, output: `${stdout}${stderr}` };
  }

  /** @param {string} script @returns {string} output */
  must(script) {
    const { status, output } = this.run(script);
    assert.equal(status, 0, `exit status ${status} of\n${script}\n${output}`);
    return output;
  }

  /**
   * Resolves when every unit has started or failed.
   * @param {{ address: string, network: string }} link its address on the bridge of a network namespace
   */
  async boot({ address, network }) {
    const log = fs.openSync(`${this.root}.boot.log`, 'a');
    this.#boot = spawn(path.join(__dirname, 'boot.sh'), [this.root, address, network], { stdio: ['ignore', log, log] });
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

  /** @returns {number[]} all of its processes, as the host names them */
  processes() {
    return processTree(this.#init);
  }

  /** As a loss of power does. */
  async stop() {
    const pid = this.#boot?.pid;
    if (pid) await stopPid(pid, 'SIGTERM', bootTimeoutMs);
    this.#boot = null;
    this.#init = 0;
  }
}

exports.Machine = Machine;
