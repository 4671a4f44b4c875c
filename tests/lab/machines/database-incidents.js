'use strict';
const { curl, must, outcome, plug, sizeOf, switchOn, underBoth, until, writers, writesOf } = require('./incident');
const { setTimeout: sleep } = require('node:timers/promises');

/* Events of the databases and of etcd. */

/** @import { Event, Fleet, Writes } from './incident' */
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

/** @param {Fleet} fleet */
const isWhole = async (fleet) => {
  const members = await membersOf(fleet);
  const [{ timeline = 0 } = {}] = members.filter(({ name }) => name === primaryOf(members));
  const follow = members.filter(({ state, timeline: own }) => state === 'streaming' && own === timeline);
  return follow.length === databases.length - 1 && members.some(({ role }) => /^(sync|quorum)_standby$/.test(role));
};

/** @param {Fleet} fleet @returns {Promise<string>} name of the primary, once all servers follow it */
async function startWhole(fleet) {
  await until('both replicas follow the primary, one of them synchronously', () => isWhole(fleet), rejoinsMs);
  return primaryOf(await membersOf(fleet));
}

/** @param {Fleet} fleet @param {string} old @param {number} fromMs @returns {Promise<string>} how long until another is the primary */
async function replaced(fleet, old, fromMs) {
  const isOther = async () => ![old, ''].includes(primaryOf(await membersOf(fleet, othersOf(old))));
  await until(`another server than ${old} is the primary`, isOther, 4 * failoverMs);
  return ((Date.now() - fromMs) / 1000).toFixed(1);
}

/** @param {Fleet} fleet @param {Writes} writes @param {string} cursor @param {string[]} words @returns {Promise<string>} */
const changesAfter = (fleet, { key }, cursor, ...words) =>
  curl(fleet, [...words, '-H', `Authorization: Bearer ${key}`, `${writers}/changes?after=${cursor}`]);

/**
 * The primary of a moment goes away from the others, and comes back.
 * @param {(fleet: Fleet, name: string) => Promise<void>} leave @param {(fleet: Fleet, name: string) => Promise<void>} comeBack
 * @param {(fleet: Fleet, name: string) => Promise<string>} [alone] what it says when it is alone; empty: as it should
 * @returns {Event['run']}
 */
const lost = (leave, comeBack, alone) => async (fleet, scale) => {
  const primary = await startWhole(fleet);
  let [more, forked, fault] = ['', '', ''];
  const { seen, written } = await underBoth(fleet, sizeOf(20_000, scale), async (writes) => {
    const cursor = JSON.parse(await changesAfter(fleet, writes, 'head')).next;
    const startMs = Date.now();
    await leave(fleet, primary);
    more = `; another primary after ${await replaced(fleet, primary, startMs)} s`;
    await writes.more('acknowledged', 20);
    fault = (await alone?.(fleet, primary)) ?? '';
    forked = await changesAfter(fleet, writes, cursor, '-o', '/dev/null', '-w', '%{http_code}');
    const backMs = Date.now();
    await comeBack(fleet, primary);
    await startWhole(fleet);
    more += `, the old one follows ${((Date.now() - backMs) / 1000).toFixed(1)} s after it is back; a former cursor gets ${forked}`;
  });
  const { fine, text } = writesOf(written, failoverMs);
  return outcome(seen, fine && forked === '410' && !fault, `${more}${text}${fault && `; ${fault}`}`);
};

/** Its own clients get no acknowledgement once it is read-only or down. @param {Fleet} fleet @param {string} name */
async function stillWrites({ machines }, name) {
  const psql = "runuser -u postgres -- psql -X -At -d catalog -c 'SELECT pg_is_in_recovery()'";
  const isOver = () => machines[name].run(psql).output.trim() !== 'f';
  return until('the primary that is alone takes no writes', isOver, failoverMs).then(
    () => '',
    (error) => error.message,
  );
}

/** @type {Record<string, Event>} in the order in which they run */
const databaseEvents = {
  switchover: {
    done: 'patronictl switchover',
    target: '0 reads failed; writes back within 5 s, 0 lost or doubled',
    run: async (fleet, scale) => {
      const primary = await startWhole(fleet);
      const { seen, written } = await underBoth(fleet, sizeOf(20_000, scale), async (writes) => {
        await must(fleet, primary, 'patronictl switchover catalog --force');
        await replaced(fleet, primary, 0);
        await writes.more('acknowledged', 20);
        await startWhole(fleet);
      });
      const { fine, text } = writesOf(written, plannedMs);
      return outcome(seen, fine, text);
    },
  },
  etcd: {
    done: 'etcd loses a member for 40 s, then its quorum for 40 s',
    target: '0 reads failed; the primary stays, and writes never wait for 5 s',
    run: async (fleet, scale) => {
      const primary = await startWhole(fleet);
      const members = othersOf(primary);
      let after = '';
      const { seen, written } = await underBoth(fleet, sizeOf(20_000, scale), async () => {
        for (const name of members) {
          await must(fleet, name, 'systemctl stop etcd');
          await sleep(longerThanTtlMs);
        }
        for (const name of members) await must(fleet, name, 'systemctl start etcd');
        after = await startWhole(fleet);
      });
      const { fine, text } = writesOf(written, plannedMs);
      return outcome(seen, fine && after === primary, `; the primary was ${primary}, then ${after}${text}`);
    },
  },
  split: {
    done: 'the primary is unplugged: it is alone, the two others and all clients are together',
    target: '0 reads failed; it stops taking writes; writes back within 30 s, 0 lost or doubled; it follows again',
    run: lost(
      async (fleet, name) => plug(fleet, name, 'nomaster'),
      async (fleet, name) => plug(fleet, name, 'master', 'br0'),
      stillWrites,
    ),
  },
  power: {
    done: 'the primary loses its power; nobody types; then it comes back',
    target: '0 reads failed; writes back within 30 s, 0 lost or doubled; it follows again; cursors of the fork get 410',
    run: lost((fleet, name) => fleet.machines[name].stop(), switchOn),
  },
};

module.exports = { databaseEvents };
