'use strict';
const { Client } = require('pg');

const { withClient } = require('../../../../scripts/local/roles');
const { atLeast, atMost, exactly } = require('../checks');
const { pollAdmin, underLoad, wait } = require('../scenario');
const { query, refused } = require('./postgres');

const tooManyConnections = '53300';
/** Of 100, three are the superuser's; some are the workers' until they notice that they are cut off. */
const fewestOthers = 80;

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

const lockSql = 'BEGIN; LOCK TABLE catalog.product_documents, catalog.styles_documents IN ACCESS EXCLUSIVE MODE';
const longestQuerySql = `
  SELECT coalesce(max(extract(epoch FROM clock_timestamp() - query_start) * 1000), 0)::float AS ms
  FROM pg_stat_activity WHERE usename = 'catalog_api' AND state = 'active'`;

/** @type {import('../run').Runs} */
const runs = {
  /** More long lists than their pool serves, beside the usual traffic. */
  async P4(rig) {
    const lists = Array.from({ length: 999 }, (_, index) => `/products?count=${9001 + index}`);
    /** @type {import('../../testbed/loadgen/observed').Observed | undefined} */
    let flood;
    const { all } = await underLoad(rig, {
      inject: async () => {
        const load = await rig.startLoad({ paths: [lists], shares: [1], rate: 60, digests: {} });
        await wait(rig, 6).finally(async () => (flood = await load.stop()));
      },
      seconds: 0,
    });
    if (!flood) throw new Error('no long list was requested');
    const long = flood.all();
    return [
      exactly(`other requests of ${all.asked} not answered 200`, all.asked - all.ok),
      atLeast('long lists answered', long.ok, 1),
      atLeast('long lists refused', long.shed, 1),
      exactly('refusals without Retry-After', long.withoutRetryAfter),
      exactly('long lists neither 200 nor 503', long.failed + long.otherErrors),
      atMost('slowest refusal', long.shedMaxMs, 1000, ' ms'),
    ];
  },

  /** Another program takes every connection of the server. */
  async P5(rig) {
    const { postgres } = rig.proxies;
    /** @type {Client[]} */
    let others = [];
    let [before, sinceMs, perSecond] = [0, 0, 0];
    const checks = await refused(rig, {
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
    return [
      ...checks,
      atLeast('connections that others took, of 97', others.length, fewestOthers),
      atMost('connection attempts of a worker', perSecond, 1, ' a second'),
    ];
  },

  P6: (rig) =>
    withClient(rig.servers.postgres.superuserDsn('catalog'), async (holder) => {
      /** @type {number[]} */
      const longestMs = [];
      const stopPolling = await pollAdmin(rig, ['/livez', '/metrics']);
      const checks = await refused(rig, {
        inject: async () => {
          await holder.query(lockSql);
          for (let round = 0; round < 5; round += 1) {
            await wait(rig, 2);
            longestMs.push((await query(rig, longestQuerySql))[0].ms);
          }
        },
        heal: () => holder.query('ROLLBACK'),
        seconds: 0,
      }).finally(stopPolling);
      return [
        ...checks,
        ...(await stopPolling()),
        atMost('longest query of a worker', Math.max(...longestMs), 1600, ' ms'),
      ];
    }),
};

module.exports = { runs };
