'use strict';
const { lossSeconds, requireLoss, timesOf } = require('./loss');
const { blocksOf } = require('./runbook');
const { addStock, get, makeSingle, sql, useMachines } = require('./use-machines');

/* A machine with every role and a writer keeps its WAL on another disk, and is brought back to a moment, by the page of the runbook. */

const writes = 10_000;

const { machines } = useMachines({ one: '10.0.0.11' }, ({ machines: { one }, release }) => makeSingle(one, release));

/** @param {string} script of bash @returns {Promise<string>} output */
const run = async (script) => (await machines.one.must(script)).trim();
const stock = async () => Number(await run(sql('SELECT sum(quantity) FROM catalog.skus')));
const era = () => run(sql('SELECT era FROM catalog_log.head'));

const [signs, drill, archive, restore, check, undo] = blocksOf('restore-to-a-moment.md').map(
  ({ commands }) => commands,
);
/** @param {string} moment */
const restoreTo = (moment) => restore.replace('1 second ago', moment);
let [key, moment, before] = ['', '', 0];

test('a restart, which the role names, begins to archive', async () => {
  key = await run('catalog-key create till --scopes stock');
  await run(signs);
  await run(drill);
  expect(await run(archive)).toMatch(/needs a restart for archive_mode[^]*status: ok/);
  expect(await run('catalog-node')).toMatch(/changed=0 /);
});

test('one second before a DROP SCHEMA, all acknowledged writes are there', async () => {
  before = await stock();
  const acknowledged = await run(`KEY=${key} ${addStock(writes)}`);
  expect(acknowledged.split('\n')).toHaveLength(writes);
  moment = await run("date -u '+%F %T.%N UTC'");
  const former = await era();
  await run(`until [[ $(date -u '+%F %T') > $(date -u -d '${moment} + 1 second' '+%F %T') ]]; do sleep 0.1; done
    ${sql('DROP SCHEMA catalog, catalog_log CASCADE')}`);
  expect(await run(restoreTo(moment))).toMatch(/^the server is as at/m);
  await run(check);
  expect(await stock()).toBe(before + writes);
  expect(await era()).not.toBe(former);
  await run(`${get} 'http://127.0.0.1/products?count=3'`);
});

test('it is undone, and done again', async () => {
  await run(undo);
  expect(await run(sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'catalog'"))).toBe('0');
  await run(restoreTo(moment));
  expect(await stock()).toBe(before + writes);
  await run('rm -r /var/lib/postgresql/*/main.{replaced,undone}');
});

test('a moment without a base backup, one to come and none are refused, and nothing is changed', async () => {
  for (const each of ['2020-01-01', 'tomorrow', 'x', ''])
    expect((await machines.one.run(`catalog-restore --at '${each}'`)).status).toBeGreaterThan(0);
  expect(await stock()).toBe(before + writes);
});

test('a moment that the archive does not reach leaves the server as it was', async () => {
  const segments = '/mnt/wal/archive/catalog/*-1/*/*-*'; // a folder that it cannot read is refused before the exchange
  await run(`chmod 000 ${segments}`);
  const { status, output } = await machines.one.run(`catalog-restore --at '${moment}'`);
  await run(`chmod 640 ${segments}`);
  expect([status, output]).toEqual([1, expect.stringMatching(/is as before: its log above says why/)]);
  expect(await stock()).toBe(before + writes);
});

test(`a lost disk loses at most ${lossSeconds} s`, async () => {
  await run('systemctl start catalog-backup');
  const start = await stock();
  // Its requests fail when PostgreSQL is killed.
  const output = await run(`(sleep ${2.5 * lossSeconds}; pkill -KILL postgres) &
    KEY=${key} ${addStock(1_000_000, { betweenMs: 100 })} || true
    date +%s%3N`);
  const times = timesOf(output);
  const lost = /** @type {number} */ (times.pop());
  await run(`systemctl stop "postgresql@$(ls /etc/postgresql)-main" || true
    rm -r /var/lib/postgresql/*/main
    pg_dropcluster "$(ls /etc/postgresql)" main
    catalog-node
    catalog-restore --at latest
    catalog-node
    ${check}`);
  requireLoss(times, lost, (await stock()) - start);
});
