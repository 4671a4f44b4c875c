'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { environment } = require('../../../scripts/lib/environment');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { blocksOf } = require('./runbook');
const { lossSeconds, requireLoss, timesOf } = require('./loss');
const { addStock, bootBare, inventory, makeFleet, shapeOf, sql, useMachines } = require('./use-machines');

/* Three machines with Patroni keep their WAL on a fourth, and are brought back to a moment, and
   made again after the loss of all disks, by the page of the runbook. */

const writes = 10_000;
const startMs = 120_000;
const three = shapeOf('three');
const servers = three.groups.db;
const writer = three.addresses[servers[0]];
const storeAddress = '10.0.0.30';
const gateway = 'versitygw@v1.8.0';
const certificate = '/etc/ssl/certs/store.pem';
const fleet = useMachines({ ...three.addresses, store: storeAddress }, async (made) => {
  await openStore(made);
  await trustStore(made);
  await makeFleet(made, three);
});
const { admin, machines } = fleet;

const repository = `
    wal_repository: /
    wal_repository_options:
      { type: s3, s3-endpoint: ${storeAddress}, s3-bucket: repository, s3-region: us-east-1, s3-uri-style: path, s3-key: catalog,
        s3-key-secret: not-a-secret, storage-ca-file: ${certificate} }
`;

/** An object store on a machine that knows nothing of the fleet: Go builds it once. @param {import('./use-machines').Fleet} made */
async function openStore({ machines: { store }, cache }) {
  const folder = path.join(cache, gateway);
  const env = environment('go', { GOBIN: folder, CGO_ENABLED: '0' });
  if (!fs.existsSync(folder))
    execFileSync('go', ['install', `github.com/versity/versitygw/cmd/${gateway}`], { env, stdio: 'inherit' });
  fs.copyFileSync(path.join(folder, 'versitygw'), path.join(store.root, 'usr/local/bin/versitygw'));
  await store.must(`useradd --password '*' wal
    install -d -o wal /srv/wal /srv/wal/repository
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=${storeAddress} -keyout /srv/key.pem -out ${certificate}
    chown wal /srv/key.pem
    systemd-run --uid=wal -p AmbientCapabilities=CAP_NET_BIND_SERVICE -E ROOT_ACCESS_KEY=catalog -E ROOT_SECRET_KEY=not-a-secret \\
      versitygw --port ${storeAddress}:443 --cert ${certificate} --key /srv/key.pem posix /srv/wal`);
}

/** @param {import('./use-machines').Fleet} made */
async function trustStore({ machines: { store, ...nodes } }) {
  for (const { root } of Object.values(nodes))
    fs.copyFileSync(path.join(store.root, certificate), path.join(root, certificate));
}

/** @param {string} name @param {string} script of bash @returns {Promise<string>} output */
const run = async (name, script) => (await machines[name].must(script)).trim();
/** @returns {Promise<string>} name of the primary */
const leader = () =>
  run(servers[0], `patronictl list -f tsv | awk -F '\\t' '$4 == "Leader" && $5 == "running" { print $2 }'`);
const stockOf = async (/** @type {string} */ name) =>
  Number(await run(name, sql('SELECT sum(quantity) FROM catalog.skus')));
const stock = async () => stockOf(await leader());
const era = async () => run(await leader(), sql('SELECT era FROM catalog_log.head'));

const blocks = blocksOf('restore-a-fleet.md');
const [setUp, archive, stopOthers, restore, startOthers, check, undo] = blocks;

/** @param {import('./runbook').Block} block @param {string} [primary] @returns {Promise<string>} output */
async function type({ on, commands }, primary) {
  const names = on.length > 1 ? servers : [on[0] === 'db' ? (primary ?? (await leader())) : on[0]];
  let output = '';
  for (const name of names) output += await admin.must(name, commands);
  return output;
}

/** Ends it when a name beside the data appears. @param {string} primary @param {string} words of catalog-restore @param {string} name */
const interrupt = (primary, words, name) =>
  run(primary, `catalog-restore ${words} & until ls /var/lib/postgresql/*/${name}; do sleep 0.1; done; kill -KILL $!`);

/** While the other servers are stopped. @param {import('./runbook').Block} block @param {string} primary */
async function typeAlone(block, primary) {
  await type(stopOthers);
  await type(block, primary);
  await type(startOthers);
}
/** @param {string} moment */
const to = (moment) => ({ ...restore, commands: restore.commands.replace('1 second ago', moment) });

const writing = { address: writer, repeats: true };
let [token, moment, expected] = ['', '', 0];
/** @param {number} count @returns {Promise<number[]>} when each was acknowledged */
async function add(count) {
  return timesOf(await run(servers[0], `KEY=${token} ${addStock(count, writing)}`));
}
/** A moment, once a second has passed since. @param {string} name */
async function momentOn(name) {
  const found = await run(name, "date -u '+%F %T.%N UTC'");
  await run(name, `until [[ $(date -u '+%F %T') > $(date -u -d '${found} + 1 second' '+%F %T') ]]; do sleep 0.1; done`);
  return found;
}
/** Every server has the rows of the primary. */
async function requireSame() {
  for (const name of servers)
    expect([name, await waitUntil(async () => (await stockOf(name)) === expected, startMs)]).toEqual([name, true]);
}

test('a restart, which the role names, begins to archive from the primary', async () => {
  admin.write(inventory, three.text.replace('\n    workers: 2\n', `\n    workers: 2${repository}`));
  const output = await type(setUp);
  expect(output.match(/needs a restart for archive_mode/g)).toHaveLength(3);
  expect(output).not.toMatch(/Nothing is archived|does not find the archive/);
  expect(await type(archive)).toMatch(/status: ok/);
  token = await run(servers[0], 'catalog-key create till --scopes stock');
}, 3_600_000);

test('while other servers run, a restore is refused by their names, and nothing is changed', async () => {
  const primary = await leader();
  const others = servers.filter((name) => name !== primary);
  const { status, output } = await admin.run(primary, `timeout 60 ${restore.commands}`); // it would wait for its server, which follows another
  expect([status, output]).toEqual([1, expect.stringContaining(`Patroni runs on ${others.join(' ')}, and would`)]);
  expect(await leader()).toBe(primary);
});

test('one second before a DROP SCHEMA, all acknowledged writes are on all servers', async () => {
  const primary = await leader();
  expected = (await stock()) + writes;
  expect(await add(writes)).toHaveLength(writes);
  const former = await era();
  moment = await momentOn(primary);
  await run(primary, sql('DROP SCHEMA catalog, catalog_log CASCADE'));
  await type(stopOthers);
  expect(await type(to(moment), primary)).toMatch(/^the server is as at/m);
  const [acknowledgedMs] = await add(1);
  const stopped = `journalctl -u patroni -o short-unix | awk '/Stopping patroni/ { time = $1 } END { printf "%d", time * 1000 }'`;
  console.log(`writes waited for ${(acknowledgedMs - Number(await run(primary, stopped))) / 1000} s`);
  expected += 1;
  await type(startOthers);
  await type(check, primary);
  await requireSame();
  expect(await era()).not.toBe(former);
});

test('it is undone, and done again, each also after an interruption', async () => {
  const primary = await leader();
  await type(stopOthers);
  await interrupt(primary, '--undo-at', 'main.undoing');
  await typeAlone(undo, primary);
  const without = sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'catalog'");
  for (const name of servers)
    expect(await waitUntil(async () => (await machines[name].run(without)).output.trim() === '0', startMs)).toBe(true);
  await type(stopOthers);
  await interrupt(primary, `--at '${moment}'`, 'main.replacing');
  await typeAlone(to(moment), primary);
  await type(check, primary);
  expected -= 1;
  await requireSame();
});

test('a moment that the archive does not reach leaves the fleet as it was', async () => {
  const primary = await leader();
  await run(primary, 'rm -r /var/lib/postgresql/*/main.{replaced,undone}');
  await type(stopOthers);
  const segments = '/srv/wal/repository/archive/catalog/*-1/*/*-*';
  await machines.store.must(`chmod 000 ${segments}`);
  const { status, output } = await admin.run(primary, `catalog-restore --at '${moment}'`);
  await machines.store.must(`chmod 640 ${segments}`);
  expect([status, output]).toEqual([1, expect.stringMatching(/is as before: its log above says why/)]);
  await type(startOthers);
  await type(check, primary);
  await requireSame();
});

/** Waits for another primary. @param {string} former @returns {Promise<string>} its name */
async function replaced(former) {
  const isOther = async () => ![former, ''].includes(await leader());
  expect(await waitUntil(isOther, startMs)).toBe(true);
  return leader();
}

test('after a switchover the new primary archives, and makes the backups', async () => {
  const former = await leader();
  await run(former, 'systemctl start catalog-backup'); // or waits for the one that the restore began
  await run(former, 'patronictl switchover catalog --force');
  const primary = await replaced(former);
  await type(check, primary);
  const backups = async () =>
    JSON.parse(await run(primary, 'runuser -u postgres -- pgbackrest --output=json info'))[0].backup;
  const before = (await backups()).length;
  await run(primary, 'systemctl start catalog-backup');
  expect((await backups()).length).toBeGreaterThan(before);
});

test('a restore crosses a failover whose lost primary had not archived its last segment', async () => {
  const lost = await leader();
  await run(lost, 'chmod 000 /etc/pgbackrest.conf');
  expected += 1100;
  await add(1000);
  await run(lost, sql('SELECT pg_switch_wal()'));
  await run(lost, 'systemctl kill --signal=KILL patroni; systemctl stop patroni');
  const primary = await replaced(lost);
  await add(100);
  moment = await momentOn(primary);
  const isArchived = async () => (await machines[primary].run('pgrep -f [c]atalog-promoted')).status === 1;
  expect(await waitUntil(isArchived, startMs)).toBe(true);
  await type(stopOthers);
  expect(await type(to(moment), primary)).toMatch(/^the server is as at/m);
  await run(lost, 'chmod 640 /etc/pgbackrest.conf');
  await type(startOthers);
  await type(check, primary);
  await requireSame();
});

test(`the loss of all disks loses at most ${lossSeconds} s`, async () => {
  const { release } = fleet;
  await run(await leader(), 'systemctl start catalog-backup');
  const before = await stock();
  const adding = machines[servers[0]].run(`KEY=${token} ${addStock(1_000_000, { ...writing, betweenMs: 100 })}`);
  await sleep(2.5 * lossSeconds * 1000);
  await Promise.all(servers.map((name) => machines[name].stop()));
  const lostMs = Date.now();
  const times = timesOf((await adding).output);
  for (const name of servers) await bootBare(fleet, name);
  await trustStore(fleet);
  const output = await type({ ...setUp, commands: setUp.commands.replace('site', `site -e release_file=${release}`) });
  expect(output).toMatch(/Nothing is archived/);
  const primary = await leader();
  await type(stopOthers);
  await type(to('latest'), primary);
  expect((await type(startOthers)).match(/main.mismatched$/gm)).toHaveLength(servers.length - 1);
  await type(check, primary);
  expected = await stock();
  requireLoss(times, lostMs, expected - before);
  expected += 1;
  await add(1);
  await requireSame();
});
