'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { runLoader: loader } = require('../../../scripts/lib/commands');
const { runOrThrow } = require('../../../scripts/lib/run');
const { withClient } = require('../../../scripts/local/roles');
const { startService, until } = require('../../helpers/app');
const { request } = require('../../helpers/http');
const { startPair } = require('../../helpers/replica');
const { fillWithSample } = require('../../helpers/sample');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'replica-search-'));
/** Some are new to every cache of each version, and use other sets. */
const paths = [
  '/catalog',
  '/suggest?q=ja',
  '/search?category=Jackets&sort=-price&count=3&facets=size',
  ...Array.from({ length: 20 }, (_, index) => `/search?q=jackte&facets=category,price&max_price=${50 + 20 * index}`),
];

/** @type {Awaited<ReturnType<typeof startPair>>} */
let pair;
/** @type {Awaited<ReturnType<typeof startService>>} */
let app;
beforeAll(async () => {
  pair = await startPair();
  await fillWithSample(pair.primary.dsn('loader'), dir, { products: 300 });
  const urls = { DATABASE_URL: pair.all(pair.primary.dsn('api')) };
  // It is read first however far it is behind, so only its version keeps old rows out.
  app = await startService({ ...urls, VERSION_POLL_MS: 50, REPLICA_MAX_LAG_MS: 3_600_000 });
}, 120_000);
afterAll(async () => {
  await app?.close();
  await pair?.stop();
  fs.rmSync(dir, { recursive: true });
});

/** Searches until it is stopped. */
function searchConstantly() {
  const seen = {
    stopping: false,
    /** @type {{ path: string, status: number, body: string }[]} */
    failed: [],
    /** @type {Map<string, Map<string, Set<string>>>} bodies by version, then by path */
    bodies: new Map(),
    /** @param {string} version */
    isWhole: (version) => seen.bodies.get(version)?.size === paths.length,
  };
  const lanes = [0, 1, 2].map(async (lane) => {
    for (let index = lane; !seen.stopping; index += 1) {
      const target = paths[index % paths.length];
      const { status, headers, body } = await request(app.url, { path: target });
      if (status !== 200) seen.failed.push({ path: target, status, body });
      const version = String(headers['catalog-version']);
      const byPath = seen.bodies.get(version) ?? new Map();
      seen.bodies.set(version, byPath.set(target, (byPath.get(target) ?? new Set()).add(body)));
    }
  });
  const stop = async () => {
    seen.stopping = true;
    await Promise.all(lanes);
  };
  return { seen, stop };
}

const current = () => String(app.service.health().parts.version);

/** @param {Promise<unknown>} change of the data @returns {Promise<string>} the version that is served after it */
async function versionAfter(change) {
  const changed = app.nextVersion();
  await Promise.all([change, changed]);
  return current();
}

test('a swap and an unswap fail no search and mix no data, also while the replica is behind', async () => {
  let searchedOnReplica = 0;
  app.service.events.on('queried', (_, lane, _ms, _ahead, server) => {
    if (lane === 'search' && server === `${pair.replica.socketDir}:5432`) searchedOnReplica += 1;
  });
  await until(() => app.service.health().ready);
  const first = current();
  const { seen, stop } = searchConstantly();
  await until(() => seen.isWhole(first) && searchedOnReplica > 0);
  const replay = (/** @type {string} */ verb) =>
    withClient(pair.replica.at(pair.primary.superuserDsn('catalog')), (client) =>
      client.query(`SELECT pg_wal_replay_${verb}()`),
    );
  await replay('pause');
  const loaderDsn = pair.primary.dsn('loader');
  const second = await versionAfter(fillWithSample(loaderDsn, dir, { products: 300, seed: 5 }));
  await until(() => seen.isWhole(second));
  await replay('resume');
  const third = await versionAfter(runOrThrow(loader('unswap'), { LOADER_DATABASE_URL: loaderDsn }));
  await until(() => seen.isWhole(third));
  await stop();

  expect(seen.failed).toEqual([]);
  expect([...seen.bodies.keys()]).toEqual([first, second, third]);
  const mixed = [...seen.bodies.values()].flatMap((byPath) => [...byPath].filter(([, bodies]) => bodies.size !== 1));
  expect(mixed).toEqual([]);
  const one = (/** @type {string} */ version) =>
    paths.map((each) => [...(seen.bodies.get(version)?.get(each) ?? [])][0]);
  expect(one(third)).toEqual(one(first));
  expect(one(second).filter((body) => one(first).includes(body))).toEqual([]);
}, 120_000);
