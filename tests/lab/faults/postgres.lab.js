'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { startReplica, streaming } = require('../../../../scripts/local/replica');
const { send } = require('../../../../scripts/lib/process');
const { withClient } = require('../../../../scripts/local/roles');
const { blackHole, freezes, misbehaves, restartsPostgres } = require('../actions');
const { allAnswered, atLeast, atMost, exactly, prefixed } = require('../checks');
const { refusedInOrder, timeUntil, underLoad, unnoticed, wait } = require('../scenario');

/** @import { Rig } from '../../testbed/rig' */
/** @import { Action } from '../scenario' */

/** @param {Rig} rig @param {string} sql past the proxy, as superuser */
const query = (rig, sql) =>
  withClient(rig.servers.postgres.superuserDsn('catalog'), async (client) => (await client.query(sql)).rows);

/** Without Redis too: otherwise it would answer most of what L1 has not. @param {Rig} rig @param {Action} action */
async function withoutRedis(rig, action) {
  await rig.warm();
  rig.proxies.redis.refuse();
  try {
    return await underLoad(rig, action);
  } finally {
    rig.proxies.redis.heal();
  }
}

/** @param {Rig} rig @param {Action} action @param {number} [recoveryMs] */
async function refused(rig, action, recoveryMs) {
  const course = await withoutRedis(rig, action);
  // Without a refusal there was no fault.
  return [...refusedInOrder(course, recoveryMs), atLeast('requests refused', course.all.shed, 1)];
}

/** @type {import('../run').Runs} */
const runs = {
  P2a: (rig) => refused(rig, restartsPostgres(rig, 'fast')),
  P2b: (rig) => refused(rig, restartsPostgres(rig, 'immediate')),
  P3a: (rig) => refused(rig, blackHole(rig.proxies.postgres)),

  /** The server is frozen, and with it what it was doing. */
  async P3b(rig) {
    /** @type {number[]} */
    let pids = [];
    const { inject, heal } = freezes((signal) => pids.forEach((pid) => send(pid, signal))); // some of them may end
    return refused(rig, {
      inject: async () => {
        const rows = await query(rig, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
        pids = [rig.servers.postgres.pid, ...rows.map(({ pid }) => pid)];
        await inject?.();
      },
      heal,
    });
  },

  /** Shorter than a worker waits: late answers, and no others. */
  async P3c(rig) {
    const { all } = await withoutRedis(rig, { ...blackHole(rig.proxies.postgres), seconds: 1 });
    return [...allAnswered(all), atMost('slowest answer', all.maxMs, 1500, ' ms')];
  },

  /** The primary never returns; its address moves to a read-only replica, which is then promoted. */
  async P8(rig) {
    const { servers, proxies } = rig;
    const restart = async (/** @type {Record<string, string>} */ settings) => {
      await servers.postgres.stop('fast');
      await servers.startPostgres(settings);
      proxies.postgres.cut(); // connections to the wrong server
      await wait(rig, 1);
      await rig.ready();
    };
    const dir = path.join(rig.dir, 'replica');
    fs.rmSync(dir, { recursive: true, force: true });
    await restart(streaming);
    const replica = await startReplica(servers.postgres, dir);
    const move = {
      inject: () => servers.postgres.stop('immediate'),
      heal: () => proxies.postgres.retarget({ path: `${replica.socketDir}/.s.PGSQL.5432` }),
      seconds: 3,
    };
    try {
      const moved = await refused(rig, move, 10_000);
      const promoted = unnoticed(await withoutRedis(rig, { inject: replica.promote, seconds: 3 }));
      return [...moved, ...prefixed('promoted', promoted)];
    } finally {
      proxies.postgres.retarget(servers.postgresSocket);
      await restart({});
      await replica.stop();
    }
  },

  P9: (rig) =>
    refused(rig, {
      inject: async () => {
        const short = "SELECT pid FROM pg_stat_activity WHERE application_name = 'catalog-short' LIMIT 1";
        process.kill((await query(rig, short))[0].pid, 'SIGKILL');
      },
      heal: () => timeUntil(() => query(rig, 'SELECT 1').then(Boolean, () => false), 30_000),
      seconds: 0,
    }),

  async P10(rig) {
    const { all, before, settled } = await withoutRedis(rig, misbehaves(rig.proxies.postgres, { delayMs: 100 }));
    return [
      exactly('wrong bodies', all.wrongBodies),
      exactly(`requests of ${all.asked} neither 200 nor 503`, all.asked - all.ok - all.shed),
      atLeast('answered 200, of before', (100 * settled.okPerSecond) / before.okPerSecond, 70, ' %'),
      atMost('p99 of them', settled.p99Ms, 1000, ' ms'),
    ];
  },
};

module.exports = { query, refused, runs };
