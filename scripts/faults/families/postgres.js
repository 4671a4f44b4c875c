'use strict';
const { get } = require('../../lib/probe');
const { withClient } = require('../../lib/roles');
const { atLeast, atMost, exactly, holds } = require('../checks');
const { createProxy } = require('../proxy');
const { withRedis } = require('./redis');
const { refusedInOrder, timeUntil, underLoad, wait, withoutExit } = require('../scenario');

/** @typedef {import('../rig').Rig} Rig */

/** @param {Rig} rig @param {string} sql past the proxy, as superuser */
const query = (rig, sql) =>
  withClient(rig.servers.postgres.superuserDsn('catalog'), async (client) => (await client.query(sql)).rows);

/**
 * A fault of PostgreSQL under load, with Redis away as well: otherwise it would answer most of what L1 has not.
 * @param {Rig} rig
 * @param {Parameters<typeof underLoad>[1]} fault
 */
async function withoutRedis(rig, fault) {
  await rig.warm();
  rig.proxies.redis.refuse();
  try {
    return await underLoad(rig, fault);
  } finally {
    rig.proxies.redis.heal();
  }
}

/** @param {Rig} rig @param {Parameters<typeof underLoad>[1]} fault @param {number} [recoveryMs] */
const refused = (rig, fault, recoveryMs) =>
  withoutExit(rig, async () => {
    const course = await withoutRedis(rig, fault);
    // A fault that refused nothing was none.
    return [...refusedInOrder(course, recoveryMs), atLeast('requests refused', course.all.shed, 1)];
  });

/**
 * The workers write the data version every 10 s, and reads of many paths bring some of them.
 * @param {Rig} rig @returns {Promise<string>} a path whose reply Redis has
 */
async function pathInRedis(rig) {
  return withRedis(rig, async (redis) => {
    /** @type {string | undefined} */
    let key;
    const tries = rig.paths[1].values();
    await timeUntil(async () => {
      await get(rig.url + tries.next().value);
      const version = await redis.get('catalog:data-version');
      if (version) [key] = await redis.keys(`catalog:${version}/product/*`);
      return key !== undefined;
    }, 30_000);
    if (!key) throw new Error('the workers wrote no data version or no product to Redis within 30 s');
    return `/products/${key.split('/').at(-1)}`;
  });
}

/** @param {Rig} rig */
async function absentAtStart(rig) {
  const proxy = await createProxy({ path: `${rig.servers.postgres.socketDir}/.s.PGSQL.5432` });
  proxy.refuse();
  const known = await pathInRedis(rig);
  const worker = await rig.startStandaloneWorker({
    DATABASE_URL: rig.servers.databaseUrl.replace(/:\d+\/catalog$/, `:${proxy.port}/catalog`),
  });
  try {
    await wait(rig, 3);
    const status = async (/** @type {string} */ url) => (await get(url)).status;
    const uncached = `${worker.url}/products?page=3&count=171`;
    const away = [
      holds('alive, and says so', (await status(`${worker.adminUrl}/livez`)) === 200),
      holds('not ready', !(await worker.isReady())),
      exactly('status of what Redis has', await status(worker.url + known), 200),
      exactly('status of what it has not', await status(uncached), 503),
    ];
    proxy.heal();
    const backMs = await timeUntil(worker.isReady, 30_000);
    return [
      ...away,
      atMost('ready after its return', backMs, 5000, ' ms'),
      exactly('status then', await status(uncached), 200),
    ];
  } finally {
    await worker.stop();
    await proxy.close();
  }
}

/** @param {Rig} rig @param {'fast' | 'immediate'} mode */
const restarted = (rig, mode) =>
  refused(rig, {
    inject: () => rig.servers.postgres.stop(mode),
    heal: () => rig.servers.startPostgres(),
    seconds: 3,
  });

/** @param {Rig} rig */
const blackHoled = (rig) =>
  refused(rig, {
    inject: () => rig.proxies.postgres.hold(true),
    heal: () => rig.proxies.postgres.hold(false),
  });

/** The same, but the server itself is frozen, and with it what it was doing. @param {Rig} rig */
async function frozen(rig) {
  const pids = async () => {
    const rows = await query(rig, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
    return [rig.servers.postgres.pid, ...rows.map(({ pid }) => pid)];
  };
  /** @type {number[]} */
  let stopped = [];
  const send = (/** @type {NodeJS.Signals} */ signal) => stopped.forEach((pid) => process.kill(pid, signal));
  return refused(rig, {
    inject: async () => {
      stopped = await pids();
      send('SIGSTOP');
    },
    heal: () => send('SIGCONT'),
  });
}

/** @param {Rig} rig */
const backendKilled = (rig) =>
  refused(rig, {
    inject: async () => {
      const [{ pid }] = await query(
        rig,
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'catalog-short' LIMIT 1",
      );
      process.kill(pid, 'SIGKILL');
    },
    heal: async () => {
      await timeUntil(() => query(rig, 'SELECT 1').then(Boolean, () => false), 30_000);
    },
    seconds: 0,
  });

/** @param {Rig} rig */
const slow = (rig) =>
  withoutExit(rig, async () => {
    const { all, before, settled } = await withoutRedis(rig, {
      inject: () => rig.proxies.postgres.set({ delayMs: 100 }),
      heal: () => rig.proxies.postgres.heal(),
    });
    const share = (100 * settled.okPerSecond) / before.okPerSecond;
    return [
      exactly('wrong bodies', all.wrongBodies),
      exactly(`requests of ${all.asked} neither 200 nor 503`, all.asked - all.ok - all.shed),
      atLeast('answered 200, of before', share, 70, ' %'),
      atMost('p99 of them', settled.p99Ms, 1000, ' ms'),
    ];
  });

/** @type {import('../run').Fault[]} */
const postgresFaults = [
  {
    id: 'P1',
    title: 'PostgreSQL absent at start',
    done: 'a worker is started while it refuses, then it is back',
    run: absentAtStart,
  },
  {
    id: 'P2a',
    title: 'PostgreSQL restarted (fast)',
    done: 'pg_ctl -m fast under load, 3 s away',
    run: (rig) => restarted(rig, 'fast'),
  },
  {
    id: 'P2b',
    title: 'PostgreSQL restarted (immediate)',
    done: 'pg_ctl -m immediate under load, 3 s away, then crash recovery',
    run: (rig) => restarted(rig, 'immediate'),
  },
  {
    id: 'P3a',
    title: 'PostgreSQL in a black hole',
    done: 'nothing goes through and no connection ends, for 10 s',
    run: blackHoled,
  },
  {
    id: 'P3b',
    title: 'PostgreSQL frozen',
    done: 'kill -STOP of the server and its backends for 10 s',
    run: frozen,
  },
  {
    id: 'P9',
    title: 'PostgreSQL backend killed',
    done: 'kill -9 of one backend: the server restarts all',
    run: backendKilled,
  },
  { id: 'P10', title: 'PostgreSQL slow', done: '100 ms on every packet for 10 s', run: slow },
];

module.exports = { postgresFaults, query, refused, withoutRedis };
