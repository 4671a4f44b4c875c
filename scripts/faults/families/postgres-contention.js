'use strict';
const { Client } = require('pg');

const { loadConfig } = require('../../../server/config/config');
const { connectionsPerWorker } = require('../../../server/store/connection-budget');
const { atLeast, atMost, exactly } = require('../checks');
const { underLoad, wait, withoutExit } = require('../scenario');
const { adminAnswers, startAskingAdmin } = require('../worker-probe');
const { query, refused, withoutRedis } = require('./postgres');

/** @typedef {import('../rig').Rig} Rig */

const tooManyConnections = '53300';
/** Of 100, three are the superuser's; some are the workers' until they notice that they are cut off. */
const fewestOthers = 80;

/** Long lists ask for more than their lane takes, while everything else goes on. @param {Rig} rig */
async function exhausted(rig) {
  const lists = Array.from({ length: 999 }, (_, index) => `/products?count=${9001 + index}`);
  const flood = { paths: [lists], shares: [1], rate: 60, digests: {} };
  const floods = /** @type {import('../../testbed/loadgen/load').Load[]} */ ([]);
  const flooded = /** @type {import('../../testbed/loadgen/observed').Observed[]} */ ([]);
  const course = await underLoad(rig, {
    inject: async () => void floods.push(await rig.startLoad(flood)),
    heal: () => {},
    seconds: 6,
  }).finally(async () => {
    for (const load of floods) flooded.push(await load.stop()); // or it would go on under the next fault
  });
  const lists503 = flooded[0].all();
  return [
    exactly(`other requests of ${course.all.asked} not answered 200`, course.all.asked - course.all.ok),
    atLeast('long lists answered', lists503.ok, 1),
    atLeast('long lists refused', lists503.shed, 1),
    exactly('refusals without Retry-After', lists503.withoutRetryAfter),
    exactly('long lists neither 200 nor 503', lists503.failed + lists503.otherErrors),
    atMost('slowest refusal', lists503.shedMaxMs, 1000, ' ms'),
  ];
}

/** A stranger takes every connection that the server has. @param {Rig} rig */
async function full(rig) {
  /** @type {Client[]} */
  const otherClients = [];
  const takeAll = async () => {
    for (;;) {
      const client = new Client({ connectionString: rig.servers.loaderEnv.LOADER_DATABASE_URL });
      client.on('error', () => {});
      try {
        await client.connect();
        otherClients.push(client);
      } catch (error) {
        if (/** @type {{ code?: string }} */ (error).code === tooManyConnections) return;
        throw error;
      }
    }
  };
  let [before, sinceMs] = [0, 0];
  let perSecond = 0;
  const checks = await refused(rig, {
    inject: async () => {
      rig.proxies.postgres.refuse(); // ours end, and do not come back before the strangers are in
      await takeAll();
      rig.proxies.postgres.accept();
      [before, sinceMs] = [rig.proxies.postgres.accepted, performance.now()];
    },
    heal: async () => {
      const attempts = rig.proxies.postgres.accepted - before;
      perSecond = attempts / ((performance.now() - sinceMs) / 1000) / rig.workerPorts.length;
      await Promise.all(otherClients.map((client) => client.end()));
    },
  });
  const config = loadConfig({ DATABASE_URL: rig.servers.databaseUrl });
  return [
    ...checks,
    atLeast('connections that strangers took, of 97', otherClients.length, fewestOthers),
    atMost('connection attempts of a worker', perSecond, 1, ' a second'),
    // 100 connections, three of them the superuser's; a node has up to 16 cores
    atMost('connections of 16 workers, of 97', 16 * connectionsPerWorker(config), 77),
  ];
}

/** @param {Rig} rig */
async function locked(rig) {
  const holder = new Client({ connectionString: rig.servers.postgres.superuserDsn('catalog') });
  await holder.connect();
  /** @type {number[]} */
  const longestMs = [];
  const stopAsking = startAskingAdmin(rig.adminPorts, ['/livez', '/metrics']);
  const checks = await refused(rig, {
    inject: async () => {
      await holder.query(
        'BEGIN; LOCK TABLE catalog.product_documents, catalog.styles_documents IN ACCESS EXCLUSIVE MODE',
      );
      for (let round = 0; round < 5; round += 1) {
        await wait(rig, 2);
        longestMs.push(await longestQueryMs(rig));
      }
    },
    heal: () => holder.query('ROLLBACK'),
    seconds: 0,
  }).finally(stopAsking);
  await holder.end();
  return [
    ...checks,
    ...adminAnswers(await stopAsking()),
    atMost('longest query of ours on the server', Math.max(...longestMs), 1600, ' ms'),
  ];
}

/** @param {Rig} rig @returns {Promise<number>} how long the oldest active query of a worker has been running */
async function longestQueryMs(rig) {
  const [{ ms }] = await query(
    rig,
    `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - query_start) * 1000), 0)::float AS ms
     FROM pg_stat_activity WHERE usename = 'catalog_api' AND state = 'active'`,
  );
  return ms;
}

/** Shorter than a worker waits: late answers, and no other. @param {Rig} rig */
const stalled = (rig) =>
  withoutExit(rig, async () => {
    const { all } = await withoutRedis(rig, {
      inject: () => rig.proxies.postgres.hold(true),
      heal: () => rig.proxies.postgres.hold(false),
      seconds: 1,
    });
    return [
      exactly(`requests of ${all.asked} not answered 200`, all.asked - all.ok),
      exactly('wrong bodies', all.wrongBodies),
      atMost('slowest answer', all.maxMs, 1500, ' ms'),
    ];
  });

/** @type {import('../run').Fault[]} */
const contentionFaults = [
  {
    id: 'P3c',
    title: 'PostgreSQL stalls',
    done: 'nothing goes through for 1 s, and no connection ends',
    run: stalled,
  },
  {
    id: 'P4',
    title: 'PostgreSQL lane exhausted',
    done: '60 lists of 3 MB a second, more than their lane takes',
    run: exhausted,
  },
  {
    id: 'P5',
    title: 'PostgreSQL full of strangers',
    done: 'ours are ended and all 97 connections taken (53300) for 10 s',
    run: full,
  },
  {
    id: 'P6',
    title: 'PostgreSQL tables locked',
    done: 'ACCESS EXCLUSIVE on both document tables for 10 s',
    run: locked,
  },
];

module.exports = { contentionFaults };
