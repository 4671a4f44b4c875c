'use strict';
const { spawnSync } = require('node:child_process');
const path = require('node:path');
const { environment } = require('../../../scripts/lib/environment');
const { read, trackedFiles } = require('../../docs/sources');
const { fleet, folder, one, render } = require('../../helpers/inventory');

/** @type {typeof render} */
function rendered(groups, vars) {
  const result = render(groups, vars);
  expect([result.status, result.status ? result.output : '']).toEqual([0, '']);
  return result;
}

/* Ansible itself renders the templates of inventories: one machine, a fleet, managed databases, and machines of many sizes. */

test('one machine listens on loopback, shares its memory, and has no hedge for a second database', () => {
  const { read: readOf } = rendered(one);
  const worker = readOf('node', 'worker.env');
  expect(worker).toContain(
    "\nDATABASE_URL='postgres://catalog_api:api-api-api-api-api-api-api-api-@127.0.0.1:5432/catalog'\n",
  );
  expect(worker).toMatch(/^REDIS_URL='redis:\/\/:(redis-){8}@127\.0\.0\.1:6379'$/m);
  expect(worker).not.toContain('REPLICA_HEDGE_MS');
  expect(readOf('node', 'cache.conf')).toMatch(/^bind 127\.0\.0\.1\n[^]*^maxmemory 240mb$/m);
  expect(readOf('node', 'catalog-workers.service')).toMatch(/^MemoryMax=1280M$/m);
});

test('a cache beside the database keeps what both need, and a second cache follows the first', () => {
  const { read: readOf } = rendered(fleet);
  expect(readOf('db-1', 'node.env')).toContain('NODE_ROLES="cache db"\nNODE_ADDRESS=10.0.0.20\n');
  expect(readOf('db-1', 'cache.conf')).toMatch(/^bind 127\.0\.0\.1 10\.0\.0\.20$/m);
  expect(readOf('db-1', 'cache.conf')).toMatch(/^maxmemory 240mb$/m);
  expect(readOf('cache-2', 'cache.conf')).toMatch(/^maxmemory 2880mb$/m);
  expect(readOf('cache-2', 'unit.conf')).toMatch(/^MemoryMax=3856M$/m);
  expect(readOf('db-1', 'source.conf')).not.toMatch(/^replicaof/m);
  expect(readOf('cache-2', 'source.conf')).toMatch(/^replicaof 10\.0\.0\.20 6379$/m);
  const worker = readOf('app-2', 'worker.env');
  expect(worker).toMatch(/^HOST=10\.0\.0\.32$/m);
  expect(worker).toMatch(/^REPLICA_HEDGE_MS=50$/m);
  // Prometheus scrapes every worker once, with its node's name, and the exporter of each role.
  const groups = readOf('monitor-1', 'targets.yml').split('- labels: ').slice(1);
  expect(groups.slice(0, 2).map((text) => text.match(/node: \S+|10\.\S+/g))).toEqual([
    ['node: app-1', '10.0.0.31:9030', '10.0.0.31:9031'],
    ['node: app-2', '10.0.0.32:9030', '10.0.0.32:9031'],
  ]);
  expect(groups.join('')).toMatch(/\{ node: cache-2, job: redis \}\n {2}targets: \["10\.0\.0\.41:9121"\]/);
  // In the order of the inventory, or each run would change the file.
  const nodes = groups.flatMap((text) => text.match(/(?<=node: )\S+(?=, job: node)/g) ?? []);
  expect(nodes).toEqual(['app-1', 'app-2', 'db-1', 'cache-2', 'monitor-1']);
  // The program of the release makes nginx's upstreams.
  const addresses = readOf('app-1', 'worker_addresses').split('\n')[1];
  const words = [path.join(folder, 'upstreams.js'), addresses];
  const { stdout } = spawnSync(process.execPath, words, {
    env: environment('server'),
    encoding: 'utf8',
  });
  const tails = ['31:3030', '31:3031', '32:3030', '32:3031'];
  expect(stdout.match(/^server \S+ max_fails=3/gm)).toEqual(tails.map((tail) => `server 10.0.0.${tail} max_fails=3`));
});

test('WAL is archived, after a minute at the latest, only where it has a repository', () => {
  const settings = (/** @type {object} */ vars) =>
    rendered(one, vars)
      .read('node', 'postgresql.conf')
      .match(/^archive_.*$/gm);
  expect(settings({})).toEqual(["archive_mode = 'off'", "archive_timeout = '0s'", "archive_command = '/bin/true'"]);
  expect(settings({ wal_repository: '/mnt/wal' })).toEqual([
    "archive_mode = 'on'",
    "archive_timeout = '60s'",
    "archive_command = 'pgbackrest --stanza=catalog archive-push %p'",
  ]);
});

test('servers of a fleet archive as a single one does', () => {
  const several = { ...fleet, etcd: { 'db-1': '10.0.0.20' } };
  const parameters = (/** @type {object} */ vars) => {
    const settings = /^ {2}parameters: (.*)$/m.exec(rendered(several, vars).read('db-1', 'patroni.yml'))?.[1];
    return Object.entries(JSON.parse(settings ?? '')).filter(([name]) => name.startsWith('archive_'));
  };
  expect(Object.fromEntries(parameters({}))).toMatchObject({ archive_mode: 'off' });
  expect(Object.fromEntries(parameters({ wal_repository: '/wal', wal_repository_options: { type: 's3' } }))).toEqual({
    archive_mode: 'on',
    archive_timeout: '60s',
    archive_command: 'pgbackrest --stanza=catalog archive-push %p',
  });
});

test('PostgreSQL and the cache fit into their machine, shared or not', () => {
  const memories = [512, 2048, 8192, 262_144];
  const hosts = (/** @type {string[]} */ ...kinds) =>
    Object.fromEntries(kinds.flatMap((kind) => memories.map((mb) => [`${kind}-${mb}`, '10.0.0.20'])));
  const mb = "{{ inventory_hostname.split('-') | last | int }}";
  const { read: readOf } = rendered({ db: hosts('db', 'both'), cache: hosts('cache', 'both') }, { mb });
  const sizeOf = (/** @type {string} */ host, /** @type {string} */ name) => {
    const file = name === 'maxmemory' ? 'cache.conf' : 'postgresql.conf';
    return Number(new RegExp(`^${name}(?: = '| )(\\d+)mb`, 'im').exec(readOf(host, file))?.[1]);
  };
  // A load builds two indexes at once.
  const database = (/** @type {string} */ host) =>
    sizeOf(host, 'shared_buffers') + 2 * sizeOf(host, 'maintenance_work_mem');
  for (const each of memories) {
    const [both, db, cache] = ['both', 'db', 'cache'].map((kind) => `${kind}-${each}`);
    const used = [database(both) + sizeOf(both, 'maxmemory'), database(db), sizeOf(cache, 'maxmemory')];
    expect(used.filter((size) => !(size > 0 && size <= each * 0.75))).toEqual([]);
  }
  for (const name of ['shared_buffers', 'maxmemory'])
    expect(sizeOf(`${name === 'maxmemory' ? 'cache' : 'db'}-8192`, name)).toBeGreaterThan(sizeOf('both-8192', name));
});

test('only the units of the group writer get its password', () => {
  const { read: readOf } = rendered({
    ...fleet,
    writer: { 'app-1': '10.0.0.31' },
  });
  const [unit, other] = ['app-1', 'app-2'].map((host) => readOf(host, 'catalog-workers.service'));
  expect(unit).toMatch(
    /^EnvironmentFile=\/etc\/catalog\/writer\.env\n[^]*^TimeoutStartSec=120\n[^]*^MemoryMax=1792M$/m,
  );
  expect(other).toMatch(/^TimeoutStartSec=100\n[^]*^MemoryMax=1280M$/m);
  expect(other).not.toContain('writer.env');
  expect(readOf('app-1', 'writer.env')).toMatch(
    /^WRITE_HOST=10\.0\.0\.31\n[^]*catalog_writer:[^@]*@10\.0\.0\.20:5432\/catalog'$/m,
  );
  expect(readOf('app-2', 'worker.env')).not.toContain('WRITE_');
  expect(readOf('app-1', 'worker.env')).not.toContain('WRITE_');
});

test('managed databases and caches are named with TLS', () => {
  const managed = {
    database_hosts: ['a.example', 'b.example:5433'],
    database_tls: 'verify-full',
    redis_url: 'rediss://:x@c:6380',
  };
  const { read: readOf } = rendered({ app: { 'app-1': '10.0.0.31' } }, managed);
  expect(readOf('app-1', 'worker.env')).toContain("@a.example:5432,b.example:5433/catalog?sslmode=verify-full'\n");
  expect(readOf('app-1', 'worker.env')).toContain("\nREDIS_URL='rediss://:x@c:6380'\n");
});

const playbooks = trackedFiles().filter((file) => /^scripts\/fleet\/.*\.yml$/.test(file));
const tasks = playbooks.flatMap((file) => read(file).split(/^ *- name:/m));

test.each([
  // Ansible's loop refuses a range, and only when it gets there.
  ['loops over a range that is no list', /\bloop:.*\brange\(/, '| list', 1],
  // A node's journal has every module's arguments, which members of adm and systemd-journal may read.
  ['logs a password', /^ *(stdin|cmd|url_password|[A-Z_]*PASS[A-Z]*): .*(password|item\.value)/m, 'no_log: true', 4],
  // A machine may have a proxy for its packages, which does not reach the nodes; Python does not understand networks in no_proxy.
  ['sends a request to a node through a proxy', /ansible\.builtin\.uri:/, 'use_proxy: false', 5],
])('no task %s', (_, pattern, needed, least) => {
  const found = tasks.filter((task) => pattern.test(task));
  expect(found.length).toBeGreaterThanOrEqual(least);
  expect(found.filter((task) => !task.includes(needed))).toEqual([]);
});
