'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { startReplica, streaming } = require('../../lib/replica');
const { refused, withoutRedis } = require('./postgres');
const { unnoticed, wait, withoutExit } = require('../scenario');

/** @typedef {import('../rig').Rig} Rig */

const recoveryMs = 10_000;

/**
 * The primary goes for ever, its address moves to a replica that nobody may write to, and that one is promoted.
 * @param {Rig} rig
 */
async function failsOver(rig) {
  const { servers, proxies } = rig;
  const dir = path.join(rig.dir, 'replica');
  const usual = { path: `${servers.postgres.socketDir}/.s.PGSQL.5432` };
  fs.rmSync(dir, { recursive: true, force: true });
  await restart(rig, streaming);
  const replica = await startReplica(servers.postgres, dir);
  try {
    const moved = await refused(
      rig,
      {
        inject: () => servers.postgres.stop('immediate'),
        heal: () => proxies.postgres.retarget({ path: `${replica.socketDir}/.s.PGSQL.5432` }),
        seconds: 3,
      },
      recoveryMs,
    );
    const promoted = await withoutExit(rig, async () =>
      unnoticed(await withoutRedis(rig, { inject: replica.promote, heal: () => {}, seconds: 3 })),
    );
    return [...moved, ...promoted.map((check) => ({ ...check, what: `promoted: ${check.what}` }))];
  } finally {
    proxies.postgres.retarget(usual);
    await restart(rig, {});
    await replica.stop();
  }
}

/** @param {Rig} rig @param {Record<string, string>} settings */
async function restart(rig, settings) {
  await rig.servers.postgres.stop('fast');
  await rig.servers.startPostgres(settings);
  rig.proxies.postgres.cut(); // what still goes to a server that is no longer meant
  await wait(rig, 1);
  await rig.ready();
}

/** @type {import('../run').Fault[]} */
const failoverFaults = [
  {
    id: 'P8',
    title: 'PostgreSQL fails over',
    done: 'the primary is lost for 3 s, its address moves to a read-only replica, which is promoted later',
    run: failsOver,
  },
];

module.exports = { failoverFaults };
