'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { Client } = require('pg');

const { send } = require('../../../scripts/lib/process');
const { startReplica, streaming } = require('../../../scripts/local/replica');
const { withClient } = require('../../../scripts/local/roles');
const { query, rig, timeUntil, wait } = require('./chain');
const { answered, atLeast, atMost, inOrder, inTime, judge, timed, unnoticed } = require('./limits');
const { blackHole, freezes, misbehaves, pollAdmin, restartsPostgres, underLoad } = require('./traffic');

/** @import { Action, Course } from './traffic' */

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

/** Cached paths are answered, the others are refused at once and in order. @param {Course} course @param {number} [lastMs] @returns {import('../judge').Figures} */
const refused = ({ all, hot, observed, healedMs }, lastMs = recoveryMs) => ({
  ...inOrder(all),
  hotNotAnswered: [hot.asked - hot.ok, 0],
  refused: [all.shed, atLeast(1)], // or there was no fault
  slowest503Ms: [all.shedMaxMs, inTime(slowest503Ms)],
  slowestMs: [all.maxMs, inTime(slowestMs)],
  lastRefusalMs: [observed.lastErrorAfterMs(healedMs), inTime(lastMs)],
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

describe('what L1 lacks is refused in order, and answered 3 s afterwards, when', () => {
  test.each([
    ['P2a PostgreSQL is restarted (fast) and away for 3 s', restartsPostgres('fast')],
    ['P2b PostgreSQL is restarted (immediate), away for 3 s, and recovers', restartsPostgres('immediate')],
    ['P3a nothing passes to PostgreSQL and no connection ends for 10 s', blackHole(rig.proxies.postgres)],
    ['P3b PostgreSQL and its backends are frozen for 10 s', serverFreezes],
    ['P9 one backend is killed, so that the server restarts all', backendIsKilled],
  ])('%s', async (_, action) => judge(refused(await withoutRedis(action))));
});

const stalledMs = 1500;

/** Shorter than a worker waits. */
test('P3c a stall of PostgreSQL of 1 s makes answers late, and changes no other', async () => {
  const { all } = await withoutRedis({ ...blackHole(rig.proxies.postgres), seconds: 1 });
  judge({ ...answered(all), slowestMs: [all.maxMs, inTime(stalledMs)] });
});

const slowRefusalMs = 1000;

test('P4 more long lists than their pool serves are refused, and nothing else', async () => {
  const lists = Array.from({ length: 999 }, (_, index) => `/products?count=${9001 + index}`);
  /** @type {import('../testbed/loadgen/observed').Observed | undefined} */
  let flood;
  const { all } = await underLoad({
    inject: async () => {
      const load = await rig.startLoad({ paths: [lists], shares: [1], rate: 60, digests: {} });
      await wait(6).finally(async () => (flood = await load.stop()));
    },
    seconds: 0,
  });
  judge(answered(all));
  expect(flood?.all()).toMatchObject({
    ok: atLeast(1),
    shed: atLeast(1),
    withoutRetryAfter: 0,
    failed: 0,
    otherErrors: 0,
    shedMaxMs: inTime(slowRefusalMs),
  });
});

const tooManyConnections = '53300';
/** Three of 100 are the superuser's; some are the workers' until they notice that they are cut off. */
const fewestOthers = 80;
const attemptsPerSecond = 1;

/** @param {string} dsn @returns {Promise<Client[]>} every connection that the server still gives */
async function takeAll(dsn) {
  /** @type {Client[]} */
  const taken = [];
  for (;;) {
    const client = new Client({ connectionString: dsn });
    client.on('error', () => {});
    try {
      await client.connect();
      taken.push(client);
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code === tooManyConnections) return taken;
      throw error;
    }
  }
}

test('P5 while others take all connections for 10 s, a worker tries once a second', async () => {
  const { postgres } = rig.proxies;
  /** @type {Client[]} */
  let others = [];
  let [before, sinceMs, perSecond] = [0, 0, 0];
  const course = await withoutRedis({
    inject: async () => {
      postgres.refuse(); // ours end, and return only when all are taken
      others = await takeAll(rig.servers.loaderEnv.LOADER_DATABASE_URL);
      postgres.accept();
      [before, sinceMs] = [postgres.accepted, performance.now()];
    },
    heal: async () => {
      const seconds = (performance.now() - sinceMs) / 1000;
      perSecond = (postgres.accepted - before) / seconds / rig.workerPorts.length;
      await Promise.all(others.map((client) => client.end()));
    },
  });
  judge({
    ...refused(course),
    taken: [others.length, atLeast(fewestOthers)],
    perSecond: [perSecond, atMost(attemptsPerSecond)],
  });
});

const lockSql = 'BEGIN; LOCK TABLE catalog.product_documents, catalog.styles_documents IN ACCESS EXCLUSIVE MODE';
const longestQuerySql = `
  SELECT coalesce(max(extract(epoch FROM clock_timestamp() - query_start) * 1000), 0)::float AS ms
  FROM pg_stat_activity WHERE usename = 'catalog_api' AND state = 'active'`;
const longestQueryMs = 1600;

test('P6 queries end in 1.6 s while both document tables are locked for 10 s', () =>
  withClient(rig.servers.postgres.superuserDsn('catalog'), async (holder) => {
    /** @type {number[]} */
    const longestMs = [];
    const stopPolling = await pollAdmin(['/livez', '/metrics']);
    const course = await withoutRedis({
      inject: async () => {
        await holder.query(lockSql);
        for (let round = 0; round < 5; round += 1) {
          await wait(2);
          longestMs.push((await query(longestQuerySql))[0].ms);
        }
      },
      heal: () => holder.query('ROLLBACK'),
      seconds: 0,
    }).finally(stopPolling);
    judge({ ...refused(course), longestMs: [Math.max(...longestMs), inTime(longestQueryMs)] });
  }));

/** @param {Record<string, string>} settings */
async function restart(settings) {
  await rig.servers.postgres.stop('fast');
  await rig.servers.startPostgres(settings);
  rig.proxies.postgres.cut(); // connections to the wrong server
  await wait(1);
  await rig.ready();
}

const failoverMs = 10_000;

test('P8 the address of a lost primary moves to a replica, whose promotion is unnoticed', async () => {
  const { servers, proxies } = rig;
  const dir = path.join(rig.dir, 'replica');
  fs.rmSync(dir, { recursive: true, force: true });
  await restart(streaming);
  const replica = await startReplica(servers.postgres, dir);
  const moves = {
    inject: () => servers.postgres.stop('immediate'),
    heal: () => proxies.postgres.retarget({ path: `${replica.socketDir}/.s.PGSQL.5432` }),
    seconds: 3,
  };
  try {
    judge(refused(await withoutRedis(moves), failoverMs));
    judge(unnoticed(await withoutRedis({ inject: replica.promote, seconds: 3 })));
  } finally {
    proxies.postgres.retarget(servers.postgresSocket);
    await restart({});
    await replica.stop();
  }
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
