'use strict';
const { strict: assert } = require('node:assert');
const { execFileSync, spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { childrenOf, isAlive, processTree, readOrNothing } = require('../../../scripts/lib/proc');
const { stopPid } = require('../../../scripts/lib/process');
const { runTool } = require('../../../scripts/lib/run');
const { waitUntil } = require('../../../scripts/lib/wait-until');

const bootTimeoutMs = 60_000;
const login = ['HOME=/root', 'LC_ALL=C.UTF-8', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'];

/**
 * Starts a program that the kernel ends when this process does, however that ends.
 * @param {'TERM' | 'KILL'} signal @param {string[]} command @param {import('node:child_process').StdioOptions} stdio @param {NodeJS.ProcessEnv} [env]
 */
const spawnMortal = (signal, command, stdio, env) =>
  spawn('setpriv', ['--pdeathsig', signal, '--', ...command], { stdio, env });

/** A machine for tests: a folder with a bare distribution, booted with systemd on the network of the administrator. */
class Machine {
  /** @type {import('node:child_process').ChildProcess | null} */
  #boot = null;
  /** @type {number} pid on the host of the booted machine's systemd */
  #init = 0;

  /** @param {string} root @param {{ address: string, network: string }} link its address on the bridge of a network namespace */
  constructor(root, link) {
    this.root = root;
    this.link = link;
  }

  /** @param {string} script for bash */
  run(script) {
    const place = ['--target', String(this.#init), '--all', '--root', '--wd', 'env', '-i', ...login];
    const words = ['bash', '-euo', 'pipefail', '-c', `set -a; . /etc/environment; set +a\n${script}`];
    return runTool(['nsenter', ...place, ...words], { keepOutput: true });
  }

  /** @param {string} script @returns {Promise<string>} output */
  async must(script) {
    const { status, output } = await this.run(script);
    assert.equal(status, 0, `exit status ${status} of\n${script}\n${output}`);
    return output;
  }

  /** Resolves when every unit has started or failed. */
  async boot() {
    const { address, network } = this.link;
    const log = fs.openSync(`${this.root}.boot.log`, 'a');
    const command = [path.join(__dirname, 'boot.sh'), this.root, address, network];
    this.#boot = spawnMortal('TERM', command, ['ignore', log, log]);
    fs.closeSync(log);
    const found = await waitUntil(() => Boolean((this.#init = this.#findInit())), bootTimeoutMs);
    if (!found) throw new Error(`${this.root} did not boot: see ${this.root}.boot.log`);
    const settled = async () => /running|degraded/.test(await this.must('systemctl is-system-running || true'));
    if (!(await waitUntil(settled, bootTimeoutMs)))
      throw new Error(`${this.root} does not finish booting:\n${await this.must('systemctl list-jobs || true')}`);
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

  /** @param {string} action of ip link @param {string[]} words */
  #port(action, ...words) {
    const port = `p${this.link.address.replaceAll('.', '-')}`;
    execFileSync('ip', ['-n', this.link.network, 'link', action, port, ...words], { stdio: 'pipe' });
  }

  /** @param {boolean} isPlugged otherwise its packets vanish */
  plug(isPlugged) {
    this.#port('set', ...(isPlugged ? ['master', 'br0'] : ['nomaster']));
  }

  #hasPort() {
    try {
      this.#port('show');
      return true;
    } catch {
      return false;
    }
  }

  /** The kernel removes its network later than its processes, and a machine cannot boot beside its former one. */
  async #gone() {
    if (!(await waitUntil(() => !this.#hasPort(), bootTimeoutMs))) throw new Error(`${this.root} keeps its network`);
  }

  /** As `systemctl reboot` does. */
  async reboot() {
    await this.run('systemctl reboot'); // it may end before it answers
    if (!(await waitUntil(() => !isAlive(this.#boot?.pid ?? 0), bootTimeoutMs)))
      throw new Error(`${this.root} does not shut down:\n${await this.must('systemctl list-jobs || true')}`);
    await this.#gone();
    await this.boot();
  }

  /** As a loss of power does. */
  async stop() {
    const pid = this.#boot?.pid;
    if (pid) await stopPid(pid, 'SIGTERM', bootTimeoutMs);
    if (pid) await this.#gone();
    this.#boot = null;
    this.#init = 0;
  }
}

exports.Machine = Machine;
exports.spawnMortal = spawnMortal;
