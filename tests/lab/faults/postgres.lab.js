'use strict';
const { Client } = require('pg');

const { send } = require('../../../scripts/lib/process');
const { atLeast, blackHole, freezes, inOrder, inTime, judge, misbehaves } = require('./chain');
const { query, rig, timed, timeUntil, underLoad } = require('./chain');

/** @import { Action, Course } from './chain' */

/** Without Redis too: otherwise it would answer most of what L1 has not. @param {Action} action */
async function withoutRedis(action) {
  await rig.warm();
  rig.proxies.redis.refuse();
  try {
    return await underLoad(action);
  } finally {
    rig.proxies.redis.heal();
  }
}

/** Two tries of 1 s (nginx/retries.js). */
const slowest503Ms = 2100;
/** A read that waits until PostgreSQL returns is too late, although it gets a 200. */
const slowestMs = 2500;
/** From the healing to the last refusal. */
const recoveryMs = 3000;

/** Cached paths are answered, the others are refused at once and in order. @param {Course} course @returns {import('../judge').Figures} */
const refused = ({ all, hot, observed, healedMs }) => ({
  ...inOrder(all),
  hotNotAnswered: [hot.asked - hot.ok, 0],
  refused: [all.shed, atLeast(1)], // or there was no fault
  slowest503Ms: [all.shedMaxMs, inTime(slowest503Ms)],
  slowestMs: [all.maxMs, inTime(slowestMs)],
  lastRefusalMs: [observed.lastErrorAfterMs(healedMs), inTime(recoveryMs)],
});

/** @param {'fast' | 'immediate'} mode @returns {Action} */
const restartsPostgres = (mode) => ({
  inject: () => rig.servers.postgres.stop(mode),
  heal: () => rig.servers.startPostgres(),
  seconds: 3,
});

/** @type {number[]} */
let frozenPids = [];
const thaws = freezes((signal) => frozenPids.forEach((pid) => send(pid, signal))); // some of them may end

/** The server, and with it what it was doing. @type {Action} */
const serverFreezes = {
  async inject() {
    const rows = await query('SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
    frozenPids = [rig.servers.postgres.pid, ...rows.map(({ pid }) => pid)];
    await thaws.inject?.();
  },
  heal: thaws.heal,
};

/** @type {Action} */
const backendIsKilled = {
  async inject() {
    const short = "SELECT pid FROM pg_stat_activity WHERE application_name = 'catalog-short' LIMIT 1";
    process.kill((await query(short))[0].pid, 'SIGKILL');
  },
  heal: () => timeUntil(() => query('SELECT 1').then(Boolean, () => false), 30_000),
  seconds: 0,
};

/** @type {Client} */
let holder;
/** @type {Action} */
const tablesAreLocked = {
  async inject() {
    holder = new Client({ connectionString: rig.servers.postgres.superuserDsn('catalog') });
    await holder.connect();
    await holder.query(
      'BEGIN; LOCK TABLE catalog.product_documents, catalog.styles_documents IN ACCESS EXCLUSIVE MODE',
    );
  },
  heal: () => holder.end(),
};

describe('what L1 lacks is refused in order, and answered 3 s afterwards, when', () => {
  test.each([
    ['P2a PostgreSQL is restarted (fast) and away for 3 s', restartsPostgres('fast')],
    ['P2b PostgreSQL is restarted (immediate), away for 3 s, and recovers', restartsPostgres('immediate')],
    ['P3a nothing passes to PostgreSQL and no connection ends for 10 s', blackHole(rig.proxies.postgres)],
    ['P3b PostgreSQL and its backends are frozen for 10 s', serverFreezes],
    ['P6 both document tables are locked for 10 s', tablesAreLocked],
    ['P9 one backend is killed, so that the server restarts all', backendIsKilled],
  ])('%s', async (_, action) => judge(refused(await withoutRedis(action))));
});

const slowed = { percent: 70, p99Ms: 1000 };

test('P10 with 100 ms on every packet, 70 % is still answered within a second', async () => {
  const { all, before, settled } = await withoutRedis(misbehaves(rig.proxies.postgres, { delayMs: 100 }));
  judge({
    ...inOrder(all),
    percent: [(100 * settled.okPerSecond) / before.okPerSecond, timed(atLeast(slowed.percent))],
    p99Ms: [settled.p99Ms, inTime(slowed.p99Ms)],
  });
});
