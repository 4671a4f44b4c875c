'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('../../scripts/lib/runtime');
const { waitUntil } = require('../../scripts/lib/wait-until');
const { scripts } = require('../../package.json');
const { createTestDatabase, redisUrl } = require('../helpers/servers');
const { newState, pidOf, processesOf, startStack, workerPids } = require('../helpers/stack');

describe('npm run dev with DATABASE_URL and REDIS_URL', () => {
  const state = newState();
  /** @type {Awaited<ReturnType<typeof createTestDatabase>>} */
  let database;
  /** @type {import('../helpers/stack').Stack} */
  let stack;
  beforeAll(async () => {
    database = await createTestDatabase();
    // The roles belong to the test server and have passwords that must not change, so name them.
    const servers = {
      DATABASE_URL: database.superuserDsn,
      REDIS_URL: redisUrl(),
      API_DATABASE_URL: database.dsn('api'),
    };
    const [, words] = /bootstrap\.js start (.*)/.exec(scripts.dev) ?? [];
    stack = await startStack({ state, words: words.split(' '), env: servers });
  }, 120_000);
  afterAll(async () => {
    await stack?.stop();
    await database?.drop();
  }, 60_000);

  const answers = () => fetch(`${stack.url}/products/1`).then(({ status }) => status === 200);

  test('uses these servers and starts no other Postgres or Valkey', async () => {
    expect(await answers()).toBe(true);
    const names = /** @type {const} */ (['nginx', 'pm2', 'postgres', 'valkey']);
    expect(names.filter((name) => pidOf(state, name) > 0)).toEqual(['nginx', 'pm2']);
  });

  test('restarts its worker when a file is saved, and ends on Ctrl-C', async () => {
    const [first, ...others] = workerPids(state);
    expect(others).toEqual([]);
    const now = new Date();
    fs.utimesSync(path.join(root, 'server/index.js'), now, now); // as an editor does
    const isNew = () => workerPids(state).some((pid) => pid > 0 && pid !== first);
    expect(await waitUntil(isNew, 60_000)).toBe(true);
    expect(await waitUntil(answers, 60_000)).toBe(true);
    expect(await stack.stop('SIGINT')).toBe(0);
    expect(processesOf(state)).toEqual([]);
  }, 180_000);
});
