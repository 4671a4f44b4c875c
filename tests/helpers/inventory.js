'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { environment } = require('../../scripts/lib/environment');
const { root, venvDir } = require('../../scripts/lib/runtime');

const folder = path.join(root, 'scripts/fleet');
const templates = [
  'app/worker.env',
  'app/catalog-workers.service',
  'app/writer.env',
  'cache/cache.conf',
  'cache/source.conf',
  'cache/unit.conf',
  'base/node.env',
  'db/postgresql.conf',
  'db/patroni.yml',
  'monitor/targets.yml',
];
const passwords = Object.fromEntries(
  ['api', 'loader', 'writer', 'replica', 'redis', 'patroni'].map((name) => [`${name}_password`, `${name}-`.repeat(8)]),
);
const fleet = {
  app: { 'app-1': '10.0.0.31', 'app-2': '10.0.0.32' },
  db: { 'db-1': '10.0.0.20' },
  cache: { 'db-1': '10.0.0.20', 'cache-2': '10.0.0.41' },
  monitor: { 'monitor-1': '10.0.0.50' },
};
const one = Object.fromEntries(Object.keys(fleet).map((group) => [group, { node: '127.0.0.1' }]));

/** All in one file. Most need the variables of their role's group: a balancer has no cache to follow. */
const rendered = templates
  .map((name) => {
    const file = path.join(folder, 'roles', `${name.replace('/', '/templates/')}.j2`);
    const [role] = name.split('/');
    const isOfRole = ['app', 'cache', 'db', 'monitor'].includes(role) ? `'${role}' in group_names` : "'app' in groups";
    const isWanted = name === 'db/patroni.yml' ? `${isOfRole} and 'etcd' in groups` : isOfRole;
    return `=== ${name}\n{% if ${isWanted} %}{{ lookup('ansible.builtin.template', '${file}') }}{% endif %}`;
  })
  .concat('=== worker_addresses\n{{ worker_addresses }}\n')
  .join('\n');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'fleet-'));
afterAll(() => fs.rmSync(dir, { recursive: true }));

/**
 * Ansible checks an inventory as site.yml does, and renders the templates of its hosts.
 * @param {Record<string, Record<string, string>>} groups addresses by host, by group @param {object} [vars]
 * @returns {{ status: number | null, output: string, read: (host: string, file: string) => string }}
 */
function render(groups, vars = {}) {
  const place = fs.mkdtempSync(path.join(dir, 'run-'));
  const children = Object.fromEntries(
    Object.entries(groups).map(([group, hosts]) => [
      group,
      { hosts: Object.fromEntries(Object.entries(hosts).map(([host, ansible_host]) => [host, { ansible_host }])) },
    ]),
  );
  const all = { vars: { ansible_connection: 'local', workers: 2, ...passwords, ...vars }, children };
  const facts = {
    memtotal_mb: '{{ mb | default(4000) }}',
    processor_nproc: 2,
    distribution_release: 'trixie',
    db_disk_mb: 40_000,
    cacheable: true,
  };
  const play = {
    hosts: 'all',
    gather_facts: false,
    tasks: [
      { 'ansible.builtin.import_tasks': path.join(folder, 'tasks/check.yml') },
      { 'ansible.builtin.set_fact': facts },
      ...['app/vars', 'cache/vars', 'db/defaults', 'monitor/vars'].map((place) => ({
        'ansible.builtin.include_vars': path.join(folder, 'roles', place, 'main.yml'),
        when: `'${place.split('/')[0]}' in group_names`,
      })),
      { 'ansible.builtin.copy': { content: rendered, dest: `${place}/{{ inventory_hostname }}`, mode: '0600' } },
    ],
  };
  // Beside the playbook, as group_vars/all.yml is beside site.yml.
  fs.cpSync(path.join(folder, 'group_vars'), path.join(place, 'group_vars'), { recursive: true });
  fs.mkdirSync(path.join(place, 'inventory'));
  fs.writeFileSync(path.join(place, 'inventory/hosts.json'), JSON.stringify({ all }));
  fs.writeFileSync(path.join(place, 'play.json'), JSON.stringify([play]));
  const words = ['-i', path.join(place, 'inventory/hosts.json'), path.join(place, 'play.json')];
  const { status, stdout, stderr } = spawnSync(path.join(venvDir, 'bin/ansible-playbook'), words, {
    env: environment('fleet', {
      ANSIBLE_CONFIG: path.join(folder, 'ansible.cfg'),
      ANSIBLE_PYTHON_INTERPRETER: 'python3',
    }),
    encoding: 'utf8',
  });
  /** @param {string} host @param {string} file */
  function read(host, file) {
    const parts = fs.readFileSync(path.join(place, host), 'utf8').split('=== ');
    return parts.find((part) => part.slice(0, part.indexOf('\n')).endsWith(file)) ?? '';
  }
  return { status, output: stdout + stderr, read };
}

module.exports = { fleet, folder, one, render };
