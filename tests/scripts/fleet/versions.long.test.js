'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { environment } = require('../../../scripts/lib/environment');
const { root, venvDir } = require('../../../scripts/lib/runtime');
const { useFolder } = require('../../helpers/folder');

/* A run of site after the upgrade of a machine's distribution: data of another PostgreSQL is refused before any change. */

const folder = path.join(root, 'scripts/fleet');
const file = path.join(folder, 'roles/db/tasks/versions.yml');
const { at, write } = useFolder('versions');

test('clusters are found by their data and by their settings, with what starts at a boot', () => {
  const [, script] = /shell: \|\n([^]*?)\n {2}register/.exec(fs.readFileSync(file, 'utf8')) ?? [];
  const own = script.replaceAll('/etc/postgresql', '$DIR/etc/postgresql').replaceAll('/var/lib/p', '$DIR/var/lib/p');
  const find = () => spawnSync('sh', ['-c', own], { env: { PATH: process.env.PATH, DIR: at() }, encoding: 'utf8' });
  expect(find()).toMatchObject({ status: 0, stdout: '' });
  for (const version of [15, 17]) fs.mkdirSync(at(`var/lib/postgresql/${version}/main`), { recursive: true });
  write('etc/postgresql/15/main/start.conf', '# Automatic startup\nauto\n');
  write('etc/postgresql/16/old/start.conf', 'manual\n');
  const found = [...new Set(find().stdout.trim().split('\n'))].sort();
  expect(found).toEqual(['15 15/main auto', '16 16/old manual', '17 17/main unknown']);
});

/** The clusters of each host, and the text that refuses it. @type {Record<string, [clusters: string[], refused: string]>} */
const hosts = {
  bare: [[], ''],
  same: [['17 17/main auto'], ''],
  upgraded: [['15 15/main auto'], 'has PostgreSQL 15 in /var/lib/postgresql/15/main'],
  'patroni-before': [['15 15/main unknown'], 'has PostgreSQL 15 in /var/lib/postgresql/15/main'],
  'empty-beside': [['15 15/main auto', '17 17/main auto'], 'has PostgreSQL 15 in /var/lib/postgresql/15/main'],
  'other-name': [['16 16/shop auto', '17 17/main auto'], 'has PostgreSQL 16 in /var/lib/postgresql/16/shop'],
  downgraded: [['18 18/main auto'], 'has PostgreSQL 18 in /var/lib/postgresql/18/main'],
  moved: [['15 15/main manual', '17 17/main auto'], ''],
  disabled: [['15 15/main disabled', '17 17/main unknown'], ''],
};

test('data of another version is refused, unless it was brought over and starts by hand only', () => {
  const clusters = Object.fromEntries(
    Object.entries(hosts).map(([host, [lines]]) => [host, { stdout: lines.join('\n'), stdout_lines: lines }]),
  );
  const tasks = [
    { 'ansible.builtin.include_vars': path.join(folder, 'roles/db/defaults/main.yml') },
    { 'ansible.builtin.set_fact': { ansible_facts: { distribution_release: 'trixie' } } },
    { 'ansible.builtin.include_tasks': file },
  ];
  const own = Object.fromEntries(Object.keys(hosts).map((host) => [host, { ansible_connection: 'local' }]));
  const inventory = write('hosts.json', JSON.stringify({ all: { children: { db: { hosts: own } } } }));
  const play = write('play.json', JSON.stringify([{ hosts: 'all', gather_facts: false, tasks }]));
  // Typed variables win over what a task registers.
  const typed = { clusters, db_clusters: '{{ clusters[inventory_hostname] }}' };
  const words = ['-i', inventory, play, '-e', JSON.stringify(typed)];
  const python = { ANSIBLE_CONFIG: path.join(folder, 'ansible.cfg'), ANSIBLE_PYTHON_INTERPRETER: 'python3' };
  const options = /** @type {const} */ ({ env: environment('fleet', python), encoding: 'utf8' });
  const { stdout } = spawnSync(path.join(venvDir, 'bin/ansible-playbook'), words, options);
  const ended = Array.from(stdout.matchAll(/^(\S+) +: ok=\d+ .*failed=(\d)/gm), ([, host, failed]) => [
    host,
    failed !== '0',
  ]);
  const expected = Object.entries(hosts).map(([host, [, refused]]) => [host, refused !== '']);
  expect(Object.fromEntries(ended)).toEqual(Object.fromEntries(expected));
  for (const [host, [, refused]] of Object.entries(hosts))
    if (refused) expect(stdout).toContain(`${host} ${refused}, and its distribution brings 17. Nothing was changed.`);
  expect(stdout).toContain('as scripts/runbook/upgrade-the-distribution.md says');
}, 240_000);

test('site looks for it before it changes a machine', () => {
  const site = fs.readFileSync(path.join(folder, 'site.yml'), 'utf8');
  expect(site).toMatch(/tasks_from: versions \}[^]*roles: \[base\]/);
});
