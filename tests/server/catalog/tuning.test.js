'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { startService, until } = require('../../helpers/app');
const { requestJson } = require('../../helpers/http');
const { loadSample } = require('../../helpers/sample');
const { redisUrl } = require('../../helpers/servers');
const { withClient } = require('../../../scripts/local/roles');

describe('a tuning', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tuning-'));
  const prefix = `tuning-${process.pid}:`;
  /** @type {Awaited<ReturnType<typeof loadSample>>} */
  let database;
  /** @type {Awaited<ReturnType<typeof startService>>[]} two workers that share Redis */
  let workers;
  const start = () =>
    startService({ DATABASE_URL: database.dsn('api'), REDIS_URL: redisUrl(), REDIS_KEY_PREFIX: prefix });
  beforeAll(async () => {
    database = await loadSample(dir, 200);
    workers = await Promise.all([start(), start()]);
  }, 60_000);
  afterAll(async () => {
    await Promise.all((workers ?? []).map((worker) => worker.close()));
    await database?.drop();
    fs.rmSync(dir, { recursive: true });
  });

  const sql = (/** @type {string} */ text) => withClient(database.dsn('loader'), (client) => client.query(text));
  const store = (/** @type {number} */ number, /** @type {object} */ content) =>
    sql(`INSERT INTO catalog_meta.tuning (number, content) VALUES (${number}, '${JSON.stringify(content)}');
      NOTIFY catalog_version`);
  const total = async (/** @type {{ url: string }} */ { url }) =>
    (await requestJson(url, '/search?q=gizmo&count=0')).body.total;
  const totals = () => Promise.all(workers.map(total));

  test('is seen by all workers without a load, whatever caches hold', async () => {
    expect([await totals(), await totals()]).toEqual([
      [0, 0],
      [0, 0],
    ]);
    const { body: before } = await requestJson(workers[0].url, '/search?q=jacket&count=0');
    await store(5, { synonyms: [['gizmo', 'jacket']] });
    await until(async () => (await totals()).join() === [before.total, before.total].join());
    await store(6, {});
    await until(async () => (await totals()).join() === '0,0');
    await sql('DELETE FROM catalog_meta.tuning WHERE number = 6; NOTIFY catalog_version');
    await until(async () => (await totals()).join() === [before.total, before.total].join());
  });

  test('counts for a worker that starts later', async () => {
    const later = await start();
    expect(await total(later)).toBe(await total(workers[0]));
    expect(await total(later)).toBeGreaterThan(0);
    await later.close();
  });

  test('is missing in a database of the release before, which a worker says', async () => {
    await sql('ALTER TABLE catalog_meta.tuning RENAME TO before');
    await until(() => workers[0].service.health().parts.database !== 'up');
    expect(workers[0].service.health().parts.database).toBe('outdated: run prepare');
    await sql('ALTER TABLE catalog_meta.before RENAME TO tuning');
    await until(() => workers[0].service.health().ready);
  });
});
