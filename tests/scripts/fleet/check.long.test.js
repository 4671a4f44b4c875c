'use strict';
const { fleet, one, render } = require('../../helpers/inventory');

/* Inventories that site.yml refuses before it changes anything. */

test('a missing or short password, or an address with a port, is refused before any change', () => {
  expect(render(one, { api_password: 'short' }).output).toContain(
    'api_password is missing, or has fewer than 16 characters',
  );
  const copies = { backup_offsite: 's3:x/y', backup_offsite_password: 'x'.repeat(15) };
  expect(render(one, copies).output).toContain('backup_offsite needs a backup_offsite_password of 16 characters');
  const { status, output } = render(one, { ...copies, backup_offsite_password: 'x'.repeat(16) });
  expect([status, status ? output : '']).toEqual([0, '']);
  expect(render({ app: { node: '10.0.0.1:80' }, db: { node: '10.0.0.1:80' } }).output).toContain(
    'ansible_host must be IPv4 or a name',
  );
});

test('a repository of WAL is a folder that the nightly backup may write to, or elsewhere', () => {
  for (const wal_repository of ['wal', '/srv/wal', '/mnt/the wal'])
    expect(render(one, { wal_repository }).output).toContain('wal_repository is a path from the root on');
  for (const vars of [{ wal_repository: '/mnt/wal' }, { wal_repository: '/', wal_repository_options: { type: 's3' } }])
    expect([vars, render(one, vars).status]).toEqual([vars, 0]);
}, 120_000);

test('several databases need a repository of WAL that they share', () => {
  const several = { ...fleet, db: { 'db-1': '10.0.0.20', 'db-2': '10.0.0.21' } };
  const refused = 'name in wal_repository_options.type what they share';
  expect(render(several, { wal_repository: '/mnt/wal' }).output).toContain(refused);
  expect(render(several, { wal_repository: '/srv/wal', wal_repository_options: { type: 'posix' } }).status).toBe(2);
  for (const [wal_repository, type] of [
    ['/mnt/wal', 'posix'],
    ['/catalog', 'sftp'],
  ])
    expect([type, render(several, { wal_repository, wal_repository_options: { type } }).status]).toEqual([type, 0]);
}, 120_000);

test('an empty secret is refused by the name of its variable, before any change', () => {
  const empty = "{{ lookup('ansible.builtin.env', 'NO_SUCH_VARIABLE') }}";
  for (const [name, value] of Object.entries({
    api_password: empty,
    backup_offsite_environment: { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: empty },
    wal_repository_options: { type: 's3', 's3-key-secret': empty },
    redis_url: `rediss://:${empty}@c:6380`,
    alert_receiver: { webhook_configs: [{ url: empty }] },
    database_hosts: ['a.example', empty],
  })) {
    const { status, output } = render(one, { [name]: value });
    expect([name, status]).toEqual([name, 2]);
    expect(output).toMatch(new RegExp(`${name} (is missing|has an empty value)`));
  }
  const idiom = { email_configs: [{ to: 'a@b.example', html: '' }] }; // of Alertmanager: no HTML
  expect(render(one, { alert_receiver: idiom }).status).toBe(0);
  expect(render(one, { backup_offsite: empty, backup_offsite_password: 'x'.repeat(16) }).status).toBe(2);
}, 120_000);

test('a name is refused where only an address can be bound to, and taken elsewhere', () => {
  const named = { 'db-1': 'db-1.example', 'db-2': '10.0.0.22' };
  const refused = /db-1: node_address is db-1\.example, but etcd, keepalived .* need an IPv4 address/;
  for (const [groups, vars] of /** @type {[any, object][]} */ ([
    [{ ...fleet, etcd: named }, {}],
    [{ ...fleet, lb: named }, { virtual_address: '10.0.0.9/24' }],
    [{ ...fleet, monitor: named }, {}],
  ]))
    expect(render(groups, vars).output).toMatch(refused);
  expect(render({ ...fleet, etcd: named }, { node_address: '10.0.0.21' }).status).toBe(0); // ansible_host may be a name
  expect(render({ ...fleet, lb: named, cache: named, app: named }).status).toBe(0);
  expect(render(fleet, { virtual_address: 'catalog.example' }).output).toContain('virtual_address IPv4');
}, 120_000);
