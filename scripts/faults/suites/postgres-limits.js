'use strict';
const { Client } = require('pg');

const { loadConfig } = require('../../../server/config/config');
const { connectionsPerWorker } = require('../../../server/store/connection-budget');
const { startPollingAdmin } = require('../../testbed/probe');
const { adminAnswered, atLeast, atMost, exactly } = require('../checks');
const { underLoad, wait } = require('../scenario');
const { query, refused } = require('./postgres');

/** @typedef {import('../../testbed/rig').Rig} Rig */

const tooManyConnections = '53300';
/** Of 100, three are the superuser's; some are the workers' until they notice that they are cut off. */
const fewestOthers = 80;

/** More long lists than their pool serves, beside the usual traffic. @param {Rig} rig */
async function exhausted(rig) {
  const lists = Array.from({ length: 999 }, (_, index) => `/products?count=${9001 + index}`);
  /** @type {import('../../testbed/loadgen/load').Load | undefined} */
  let flood;
  /** @type {import('../../testbed/loadgen/observed').Summary | undefined} */
  let long;
  const { all } = await underLoad(rig, {
    inject: async () => (flood = await rig.startLoad({ paths: [lists], shares: [1], rate: 60, digests: {} })),
    seconds: 6,
  }).finally(async () => (long = (await flood?.stop())?.all())); // or it would continue during the next fault
  if (!long) throw new Error('no long list was requested');
  return [
    exactly(`other requests of ${all.asked} not answered 200`, all.asked - all.ok),
    atLeast('long lists answered', long.ok, 1),
    atLeast('long lists refused', long.shed, 1),
    exactly('refusals without Retry-After', long.withoutRetryAfter),
    exactly('long lists neither 200 nor 503', long.failed + long.otherErrors),
    atMost('slowest refusal', long.shedMaxMs, 1000, ' ms'),
  ];
}

/** Another program takes every connection of the server. @param {Rig} rig */
async function full(rig) {
  const { postgres } = rig.proxies;
  /** @type {Client[]} */
  const others = [];
  const takeAll = async () => {
    for (;;) {
      const client = new Client({ connectionString: rig.servers.loaderEnv.LOADER_DATABASE_URL });
      client.on('error', () => {});
      try {
        await client.connect();
        others.push(client);
      } catch (error) {
        if (/** @type {{ code?: string }} */ (error).code === tooManyConnections) return;
        throw error;
      }
    }
  };
  let [before, sinceMs, perSecond] = [0, 0, 0];
  const checks = await refused(rig, {
    inject: async () => {
      postgres.refuse(); // ours end, and return only when all are taken
      await takeAll();
      postgres.accept();
      [before, sinceMs] = [postgres.accepted, performance.now()];
    },
    heal: async () => {
      const seconds = (performance.now() - sinceMs) / 1000;
      perSecond = (postgres.accepted - before) / seconds / rig.workerPorts.length;
      await Promise.all(others.map((client) => client.end()));
    },
  });
  const config = loadConfig({ DATABASE_URL: rig.servers.databaseUrl() });
  return [
    ...checks,
    atLeast('connections that others took, of 97', others.length, fewestOthers),
    atMost('connection attempts of a worker', perSecond, 1, ' a second'),
    // 100 connections, three of them the superuser's; a node has up to 16 cores
    atMost('connections of 16 workers, of 97', 16 * connectionsPerWorker(config), 77),
  ];
}

const longestQuerySql = `
  SELECT coalesce(max(extract(epoch FROM clock_timestamp() - query_start) * 1000), 0)::float AS ms
  FROM pg_stat_activity WHERE usename = 'catalog_api' AND state = 'active'`;

/** @param {Rig} rig */
async function locked(rig) {
  const holder = new Client({ connectionString: rig.servers.postgres.superuserDsn('catalog') });
  await holder.connect();
  const lock = 'BEGIN; LOCK TABLE catalog.product_documents, catalog.styles_documents IN ACCESS EXCLUSIVE MODE';
  /** @type {number[]} */
  const longestMs = [];
  const stopPolling = startPollingAdmin(rig.adminPorts, ['/livez', '/metrics']);
  const checks = await refused(rig, {
    inject: async () => {
      await holder.query(lock);
      for (let round = 0; round < 5; round += 1) {
        await wait(rig, 2);
        longestMs.push((await query(rig, longestQuerySql))[0].ms);
      }
    },
    heal: () => holder.query('ROLLBACK'),
    seconds: 0,
  }).finally(stopPolling);
  await holder.end();
  return [
    ...checks,
    ...adminAnswered(await stopPolling()),
    atMost('longest query of a worker', Math.max(...longestMs), 1600, ' ms'),
  ];
}

/** @type {import('../run').Runs} */
const postgresLimitFaults = { P4: exhausted, P5: full, P6: locked };

module.exports = { postgresLimitFaults };
