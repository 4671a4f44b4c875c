'use strict';
const { strict: assert } = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { childrenOf, linkOf } = require('../../../scripts/lib/proc');
const { stopPid } = require('../../../scripts/lib/process');
const { runTool } = require('../../../scripts/lib/run');
const { root: repository } = require('../../../scripts/lib/runtime');
const { shellLine } = require('../../../scripts/lib/words');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { spawnMortal } = require('./machine');

const startTimeoutMs = 10_000;
const stopTimeoutMs = 10_000;
const proxyPort = 3128;
const nodeInit = path.join(__dirname, 'admin-init.sh');

/**
 * The administrator's machine in the network of a fleet: this clone over an overlay, so that no write reaches the real one, and a
 * key that the fleet accepts. It is also the fleet's proxy to the package mirrors.
 */
class Admin {
  /** @type {import('node:child_process').ChildProcess[]} */
  #children = [];
  #init = 0;

  /** @param {string} dir of its key @param {{ network: string, address: string }} link namespace, and address on its bridge */
  constructor(dir, { network, address }) {
    this.dir = dir;
    this.network = network;
    this.address = address;
  }

  /** Lets the administrator in, and the machine out. @param {string} root of a machine */
  admit(root) {
    const key = path.join(this.dir, 'key');
    if (!fs.existsSync(key)) {
      fs.mkdirSync(this.dir, { recursive: true });
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'proof', '-f', key]);
    }
    fs.mkdirSync(path.join(root, 'root/.ssh'), { recursive: true, mode: 0o700 });
    fs.copyFileSync(`${key}.pub`, path.join(root, 'root/.ssh/authorized_keys'));
    const proxy = `http://${this.address}:${proxyPort}`;
    fs.writeFileSync(
      path.join(root, 'etc/environment'),
      `http_proxy=${proxy}\nhttps_proxy=${proxy}\nno_proxy=127.0.0.1,${this.address}/24\n`,
    );
  }

  /**
   * @param {Record<string, string>} addresses by the machines' names
   * @param {string} hostKey public, which all machines of one archive have
   */
  async start(addresses, hostKey) {
    execFileSync('ip', ['-n', this.network, 'addr', 'add', `${this.address}/24`, 'dev', 'br0']);
    const socket = path.join(this.dir, 'proxy.sock');
    fs.rmSync(socket, { force: true });
    const proxy = [process.execPath, path.join(__dirname, 'proxy.js')];
    const inNetwork = ['nsenter', `--net=/run/netns/${this.network}`];
    this.#launch([...proxy, 'serve', socket]);
    this.#launch([...inNetwork, ...proxy, 'door', socket, this.address, String(proxyPort)]);
    // The folder of changes may not be below the root of the overlay, so it is in memory.
    const script = 'mount -t tmpfs tmpfs /mnt && exec bash "$0" /mnt admin "$1"';
    const spaces = ['--mount', '--pid', '--uts', '--ipc', '--fork', '--kill-child'];
    const shell = ['bash', '-c', script, nodeInit, repository];
    const outer = this.#launch([...inNetwork, 'unshare', ...spaces, ...shell]);
    const rooted = () => (this.#init = findRooted(outer)) > 0;
    if (!(await waitUntil(rooted, startTimeoutMs))) throw new Error('the admin did not start');
    const hosts = Object.entries(addresses).map(([name, address]) => `${address} ${name}\n`);
    this.write('etc/hosts', `127.0.0.1 localhost\n${hosts.join('')}`);
    this.write('etc/ssh/ssh_config', `User root\nIdentityFile ${path.join(this.dir, 'key')}\n`);
    this.write('etc/ssh/ssh_known_hosts', `* ${hostKey}`);
  }

  /** @param {string[]} command @returns {number} its pid */
  #launch(command) {
    const child = spawnMortal('KILL', command, ['ignore', 'inherit', 'inherit']);
    this.#children.push(child);
    return child.pid ?? 0;
  }

  /** @param {string} file @param {string} text */
  write(file, text) {
    fs.writeFileSync(path.join('/proc', String(this.#init), 'root', file), text);
  }

  /**
   * @param {string} name admin, or a node that is reached by ssh
   * @param {string} script as a user types it: the last command of a pipe sets the status
   */
  run(name, script) {
    const spaces = ['--mount', '--uts', '--ipc', '--net', '--pid', '--root', '--wd'];
    const place = [`--target=${this.#init}`, ...spaces, 'env', '-C', repository];
    const shell = ['bash', '-ec', script];
    const command = name === 'admin' ? shell : ['ssh', '-o', 'BatchMode=yes', name, shellLine(shell)];
    // Real machines have cores of their own. These share the host's, and ten at once leave too little to those that serve.
    const forks = { ANSIBLE_FORKS: String(os.availableParallelism()) };
    const env = { HOME: '/root', LC_ALL: 'C.UTF-8', PATH: process.env.PATH, ...forks };
    return runTool(['nsenter', ...place, ...command], { env, keepOutput: true });
  }

  /** @param {string} name as of run @param {string} script @returns {Promise<string>} output */
  async must(name, script) {
    const { status, output } = await this.run(name, script);
    assert.equal(status, 0, `exit status ${status} on ${name} of\n${script}\n${output}`);
    return output;
  }

  async stop() {
    for (const { pid } of this.#children.reverse()) if (pid) await stopPid(pid, 'SIGKILL', stopTimeoutMs);
  }
}

/** @param {number} outer unshare @returns {number} its child, once that has its own root */
function findRooted(outer) {
  const [child] = childrenOf(outer);
  return child && !['', '/'].includes(linkOf(child, 'root')) ? child : 0;
}

exports.Admin = Admin;
