'use strict';
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { underBoth } = require('./incident');
const { blocksOf } = require('./runbook');
const { get, makeFleet, routes, shapeOf, sql, useMachines } = require('./use-machines');

/* Three machines with Patroni go from Debian 12 to 13 under reads and writes, one after the other, by the page of the runbook. */

/** @import { Block } from './runbook' */

const three = shapeOf('three');
const servers = three.groups.db;
const followsMs = 600_000;
const writesWaitMs = 60_000;
const clients = { rate: 50, requests: 1000, resend: true };
const fleet = useMachines(three.addresses, (made) => makeFleet(made, three), { suite: 'bookworm' });
const { admin, machines } = fleet;

const [packages, wait, data, copy, site, clean, back] = blocksOf('upgrade-a-fleet.md');
const [drain, , undrain] = blocksOf('drain-a-node.md');
const [, standby, switchover] = blocksOf('switchover.md');
const last = 'systemctl reboot\n';

/** @param {string} name of a machine, or admin @param {Block} block @returns {Promise<string>} output */
async function type(name, { commands }) {
  const output = await admin.must(name, commands);
  console.log(`${new Date().toISOString()} ${name}: ${commands}${output.slice(-2000)}`);
  return output;
}
/** @param {Block} block */
async function typeOnAll(block) {
  for (const name of servers) await type(name, block);
}

/** @param {string} condition of awk, on a line of patronictl @returns {Promise<string[]>} names of servers */
async function serversWith(condition) {
  const list = `patronictl list -f tsv | awk -F '\\t' '${condition} { print $2 }'`;
  return (await machines[servers[0]].run(list)).output.split('\n').filter(Boolean);
}
const leader = async () => (await serversWith('$4 == "Leader" && $5 == "running"'))[0];
async function requireWhole() {
  const follow = async () => (await serversWith('$5 == "streaming"')).length === servers.length - 1;
  expect(await waitUntil(follow, followsMs)).toBe(true);
}

/** @param {string} name of a node */
async function upgrade(name) {
  const onNode = (/** @type {Block} */ block) => ({ ...block, commands: block.commands.replace('app-2', name) });
  await type('admin', onNode(drain));
  expect(packages.commands.endsWith(last)).toBe(true);
  await type(name, { ...packages, commands: packages.commands.slice(0, -last.length) });
  await machines[name].reboot();
  await type('admin', onNode(undrain));
  await requireWhole();
}

/**
 * Requires that no write is lost or doubled meanwhile, and that few reads fail: while a node is away, the others share two cores with its upgrade.
 * @param {() => Promise<void>} happen @param {number} mostFailed share of reads
 */
async function underClients(happen, mostFailed) {
  const { seen, written } = await underBoth(fleet, clients, happen, servers[0]);
  console.log(seen, written);
  expect(written).toMatchObject({ lost: 0, doubled: 0, failures: [] });
  expect(written.pauseMs).toBeLessThan(writesWaitMs);
  expect((seen.asked - seen.ok) / seen.asked).toBeLessThanOrEqual(mostFailed);
}

test('each machine goes to Debian 13 while the others serve, the primary last', async () => {
  const primary = await leader();
  await underClients(async () => {
    for (const name of servers.filter((each) => each !== primary)) await upgrade(name);
    await type(primary, standby);
    await type(primary, switchover);
    await requireWhole();
    await upgrade(primary);
  }, 0.01);
  const { output } = await admin.run('admin', site.commands);
  expect(output).toMatch(/has PostgreSQL 15 in .*upgrade-a-fleet\.md/);
});

test('the data goes to PostgreSQL 17, also after it was undone once, and no read fails', async () => {
  const era = await machines[servers[0]].must(sql('SELECT era FROM catalog_log.head'));
  await underClients(async () => {
    await typeOnAll(wait);
    await typeOnAll(back);
    await requireWhole();
    await typeOnAll(wait);
    await type(await leader(), data);
    await typeOnAll(copy);
    await requireWhole();
  }, 0);
  expect(await machines[servers[0]].must(sql('SELECT era FROM catalog_log.head'))).not.toBe(era);
  await type('admin', site);
});

test('all have the versions of Debian 13 and all routes, and site changes nothing more', async () => {
  await typeOnAll(clean);
  for (const name of servers) {
    expect(await machines[name].must("sed -n 's/^VERSION_CODENAME=//p' /etc/os-release")).toBe('trixie\n');
    expect(await machines[name].must('ls /var/lib/postgresql /usr/lib/postgresql')).not.toMatch(/15/);
    expect(await machines[name].must(sql('SHOW server_version'))).toMatch(/^17\./);
    await machines[name].must('catalog-listening');
    for (const route of routes) await machines[name].must(`${get} 'http://${three.address}${route}'`);
  }
  const output = await type('admin', site);
  expect(output.match(/^.*(changed|failed|unreachable)=[1-9].*$/gm)).toBeNull();
});
