'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { environment } = require('../../scripts/lib/environment');
const { waitUntil } = require('../../scripts/lib/wait-until');
const { root, venvDir } = require('../../scripts/lib/runtime');
const { findPrograms } = require('./debian');
const { writeStub } = require('./stub');

/** Debian 13 has the etcd 3.5 that nodes need; that of Debian 12 is older. */
const found = findPrograms(['etcd-server', 'etcd-client'], ['etcd', 'etcdctl'], 'trixie');

/**
 * Instead of systemd: a process for each folder of data, with the settings that the role writes for it. Its session is its own, or the end of
 * Ansible would end it.
 */
const systemctl = `
[ "$1" != daemon-reload ] || exit 0
pid=$(cat "$ETCD_DATA.pid" 2>/dev/null) && kill -0 "$pid" 2>/dev/null || pid=
[ "$1" != start ] || [ -z "$pid" ] || exit 0
if [ "$pid" ]; then kill "$pid" && while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done; fi
[ "$1" != stop ] || exit 0
set -a
. "$ETCD_DATA.env"
[ ! -e "$ETCD_JOIN" ] || . "$ETCD_JOIN"
set +a
setsid env -u ETCD_DATA -u ETCD_JOIN "${found?.etcd}" $DAEMON_ARGS >>"$ETCD_DATA.log" 2>&1 </dev/null &
echo $! >"$ETCD_DATA.pid"`;

/** Gives each test its members of etcd, which the role joins. The name of a member is a letter. */
function useEtcd() {
  const base = fs.mkdtempSync(path.join(os.tmpdir(), 'etcd-'));
  const bin = path.join(base, 'bin');
  // Test files run side by side.
  const network = `127.${1 + (process.pid % 250)}.${Math.floor(process.pid / 250) % 250}`;
  const address = (/** @type {string} */ name) => `${network}.${name.charCodeAt(0) - 96}`;
  const data = (/** @type {string} */ name) => path.join(base, name, 'data');
  const places = (/** @type {string} */ name) => ({ ETCD_DATA: data(name), ETCD_JOIN: path.join(base, name, 'join') });
  const tools = environment('fleet', {
    PATH: `${bin}:${process.env.PATH}`,
    ANSIBLE_CONFIG: path.join(root, 'scripts/fleet/ansible.cfg'),
    ANSIBLE_PYTHON_INTERPRETER: 'python3',
  });
  /** @type {Set<string>} */
  const made = new Set();

  beforeAll(() => {
    fs.mkdirSync(bin);
    if (!found) return;
    writeStub(bin, 'systemctl', systemctl);
    fs.symlinkSync(found.etcdctl, path.join(bin, 'etcdctl'));
  });
  afterEach(() => {
    for (const name of made) unit(name, 'stop');
    for (const name of made) fs.rmSync(path.join(base, name), { recursive: true });
    made.clear();
  });
  afterAll(() => fs.rmSync(base, { recursive: true }));

  /** @param {string} name @param {string} verb of systemctl @param {string} [words] of etcd */
  function unit(name, verb, words = '') {
    const env = { ...tools, ...places(name), DAEMON_ARGS: words };
    expect(spawnSync(path.join(bin, 'systemctl'), [verb, 'etcd'], { env, stdio: 'ignore' }).status).toBe(0);
  }

  /** Types a block of the runbook on the machine of a member. @param {string} name @param {string} commands */
  function type(name, commands) {
    const typed = commands
      .replaceAll('/etc/default/etcd-join', places(name).ETCD_JOIN)
      .replaceAll('/var/lib/etcd/catalog', data(name))
      .replaceAll('/var/lib/etcd/', `${path.dirname(data(name))}/`);
    const env = { ...tools, ...places(name), ETCDCTL_ENDPOINTS: `http://${address(name)}:2379` };
    const { status, stdout, stderr } = spawnSync('bash', ['-ec', typed], { env, encoding: 'utf8' });
    return { status, output: `${stdout}${stderr}` };
  }

  /** @param {string} names of the members asked @param {string[]} words of etcdctl */
  function ctl(names, ...words) {
    const endpoints = [...names].map((name) => `http://${address(name)}:2379`).join(',');
    const { status, stdout, stderr } = spawnSync(path.join(bin, 'etcdctl'), [`--endpoints=${endpoints}`, ...words], {
      env: tools,
      encoding: 'utf8',
    });
    return { status, output: `${stdout}${stderr}` };
  }

  /** @param {string} name */
  function make(name) {
    if (made.has(name)) return;
    made.add(name);
    fs.mkdirSync(path.join(base, name));
    const [peer, client] = [2380, 2379].map((port) => `http://${address(name)}:${port}`);
    const settings = {
      NAME: name,
      DATA_DIR: data(name),
      LISTEN_PEER_URLS: peer,
      INITIAL_ADVERTISE_PEER_URLS: peer,
      LISTEN_CLIENT_URLS: client,
      ADVERTISE_CLIENT_URLS: client,
    };
    const lines = Object.entries(settings).map(([key, value]) => `ETCD_${key}=${value}\n`);
    fs.writeFileSync(`${data(name)}.env`, lines.join(''));
  }

  /** Runs what the role does to join. @param {string} group its members @param {string} [limit] the hosts of the run */
  function join(group, limit = group) {
    [...group].forEach(make);
    const hosts = Object.fromEntries(
      [...group].map((name) => [
        name,
        { node_address: address(name), etcd_data: data(name), etcd_join: places(name).ETCD_JOIN },
      ]),
    );
    const environment = { ETCD_DATA: '{{ etcd_data }}', ETCD_JOIN: '{{ etcd_join }}' };
    const tasks = [
      { 'ansible.builtin.stat': { path: '{{ etcd_data }}/member' }, register: 'etcd_member' },
      { 'ansible.builtin.include_role': { name: path.join(root, 'scripts/fleet/roles/etcd'), tasks_from: 'join' } },
      { 'ansible.builtin.command': 'systemctl start etcd', environment },
    ];
    const [inventory, play] = ['inventory.json', 'play.json'].map((file) => path.join(base, file));
    const vars = { ansible_connection: 'local' };
    fs.writeFileSync(inventory, JSON.stringify({ all: { vars, children: { etcd: { hosts } } } }));
    fs.writeFileSync(play, JSON.stringify([{ hosts: 'etcd', gather_facts: false, tasks }]));
    const words = ['-i', inventory, '--limit', [...limit].join(','), play];
    const { status, stdout, stderr } = spawnSync(path.join(venvDir, 'bin/ansible-playbook'), words, {
      env: tools,
      encoding: 'utf8',
    });
    return { status, output: `${stdout}${stderr}` };
  }

  return {
    address,
    ctl,
    /** @param {string} names @returns {Promise<string>} empty once all are; else what they log */
    healthy: async (names) =>
      (await waitUntil(() => ctl(names, 'endpoint', 'health').status === 0, 60_000))
        ? ''
        : [...names].map((name) => fs.readFileSync(`${data(name)}.log`, 'utf8').slice(-2000)).join('\n'),
    join,
    lose: (/** @type {string} */ name) => {
      unit(name, 'stop');
      fs.rmSync(data(name), { recursive: true });
    },
    /** @param {string} names @returns {string[]} of each member its name and whether it has no vote */
    members: (names) =>
      ctl(names, 'member', 'list')
        .output.trim()
        .split('\n')
        .map((line) => line.split(', '))
        .map(([, , name, , , isLearner]) => `${name} ${isLearner}`)
        .sort(),
    type,
    unit,
  };
}

module.exports = { found, useEtcd };
