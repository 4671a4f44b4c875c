'use strict';
const { setTimeout: sleep } = require('node:timers/promises');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { answered, curl, kept, sizeOf, underBoth, until, writers } = require('./incident');

/* Incidents of the databases and of etcd. */

/** @import { Incident, Writes } from './incident' */
/** @import { Machine } from './machine' */
/** @import { Fleet } from './use-machines' */
/** @typedef {{ name: string, role: string, state: string, timeline?: number }} Member of Patroni's cluster */

const databases = ['db-1', 'db-2', 'db-3'];
const failoverMs = 30_000;
const plannedMs = 5_000;
/** A lost server may have to be copied again. */
const rejoinsMs = 300_000;
/** Longer than `ttl`, after which a primary that etcd does not hear gives up (roles/db/defaults). */
const longerThanTtlMs = 40_000;

/** @param {Fleet} fleet @param {string[]} [asked] @returns {Promise<Member[]>} as the first of these servers that answers sees it */
async function membersOf(fleet, asked = databases) {
  for (const name of asked) {
    const text = await curl(fleet, ['-f', `http://${fleet.addresses[name]}:8008/cluster`]);
    if (text.startsWith('{')) return JSON.parse(text).members;
  }
  return [];
}

/** @param {Member[]} members @returns {string} name of the primary; empty: there is none */
const primaryOf = (members) => members.find(({ role, state }) => role === 'leader' && state === 'running')?.name ?? '';

/** @param {string} name */
const othersOf = (name) => databases.filter((each) => each !== name);

/** @param {Fleet} fleet @returns {Promise<string>} name of the primary, once all servers follow it, one of them synchronously */
async function startWhole(fleet) {
  let primary = '';
  const isWhole = async () => {
    const members = await membersOf(fleet);
    primary = primaryOf(members);
    const timeline = members.find(({ name }) => name === primary)?.timeline ?? 0;
    const follow = members.filter(({ state, timeline: own }) => state === 'streaming' && own === timeline);
    return follow.length === databases.length - 1 && members.some(({ role }) => /^(sync|quorum)_standby$/.test(role));
  };
  await until('both replicas follow the primary, one of them synchronously', isWhole, rejoinsMs);
  return primary;
}

/** Waits until another is the primary. @param {Fleet} fleet @param {string} old */
async function replaced(fleet, old) {
  const isOther = async () => ![old, ''].includes(primaryOf(await membersOf(fleet, othersOf(old))));
  await until(`another server than ${old} is the primary`, isOther, 4 * failoverMs);
}

/** @param {Fleet} fleet @param {Writes} writes @param {string} cursor @param {string[]} words @returns {Promise<string>} */
const changesAfter = (fleet, { key }, cursor, ...words) =>
  curl(fleet, [...words, '-H', `Authorization: Bearer ${key}`, `${writers}/changes?after=${cursor}`]);

/**
 * The primary of a moment goes away from the others, and comes back.
 * @param {(machine: Machine) => Promise<void>} leave @param {(machine: Machine) => Promise<void>} comeBack
 * @param {(machine: Machine) => Promise<boolean>} [writesAlone] whether it takes writes when it is alone
 * @returns {Incident['run']}
 */
const lost = (leave, comeBack, writesAlone) => async (fleet, scale) => {
  const primary = await startWhole(fleet);
  /** @type {import('../judge').Figures} */
  const figures = {};
  const { seen, written } = await underBoth(fleet, sizeOf(20_000, scale), async (writes) => {
    const cursor = JSON.parse(await changesAfter(fleet, writes, 'head')).next;
    const startMs = Date.now();
    await leave(fleet.machines[primary]);
    await replaced(fleet, primary);
    figures.replacedAfterMs = [Date.now() - startMs];
    await writes.more('acknowledged', 20);
    if (writesAlone) figures.writesAlone = [await writesAlone(fleet.machines[primary]), false];
    const words = ['-o', '/dev/null', '-w', '%{http_code}'];
    figures.formerCursorGets = [await changesAfter(fleet, writes, cursor, ...words), '410'];
    const backMs = Date.now();
    await comeBack(fleet.machines[primary]);
    await startWhole(fleet);
    figures.followsAfterMs = [Date.now() - backMs];
  });
  return { ...answered(seen), ...figures, ...kept(written, failoverMs) };
};

/** Its own clients get no acknowledgement once it is read-only or down. @param {Machine} machine */
async function stillWrites(machine) {
  const psql = "runuser -u postgres -- psql -X -At -d catalog -c 'SELECT pg_is_in_recovery()'";
  const isOver = async () => (await machine.run(psql)).output.trim() !== 'f';
  return !(await waitUntil(isOver, failoverMs));
}

/** @type {Record<string, Incident>} in the order in which they run */
const databaseIncidents = {
  switchover: {
    done: 'patronictl switchover',
    run: async (fleet, scale) => {
      const primary = await startWhole(fleet);
      const { seen, written } = await underBoth(fleet, sizeOf(20_000, scale), async (writes) => {
        await fleet.admin.must(primary, 'patronictl switchover catalog --force');
        await replaced(fleet, primary);
        await writes.more('acknowledged', 20);
        await startWhole(fleet);
      });
      return { ...answered(seen), ...kept(written, plannedMs) };
    },
  },
  etcd: {
    done: 'etcd loses a member for 40 s, then its quorum for 40 s',
    run: async (fleet, scale) => {
      const primary = await startWhole(fleet);
      const members = othersOf(primary);
      let after = '';
      const { seen, written } = await underBoth(fleet, sizeOf(20_000, scale), async () => {
        for (const name of members) {
          await fleet.admin.must(name, 'systemctl stop etcd');
          await sleep(longerThanTtlMs);
        }
        for (const name of members) await fleet.admin.must(name, 'systemctl start etcd');
        after = await startWhole(fleet);
      });
      return { ...answered(seen), primary: [after, primary], ...kept(written, plannedMs) };
    },
  },
  split: {
    done: 'the primary is unplugged: it is alone, the two others and all clients are together',
    run: lost(
      async (machine) => machine.plug(false),
      async (machine) => machine.plug(true),
      stillWrites,
    ),
  },
  power: {
    done: 'the primary loses its power; nobody types; then it comes back',
    run: lost(
      (machine) => machine.stop(),
      (machine) => machine.boot(),
    ),
  },
};

module.exports = { databaseIncidents };
