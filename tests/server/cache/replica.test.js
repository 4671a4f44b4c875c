'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { Redis } = require('ioredis');
const request = require('supertest');

const { spawnDaemon, stopPid } = require('../../../scripts/lib/process');
const { binaries, root } = require('../../../scripts/lib/runtime');
const { startService, until } = require('../../helpers/app');
const { createCatalog, manyProducts } = require('../../helpers/database');
const { freePort } = require('../../helpers/servers');

const password = 'cache-replica-'.repeat(2);

/** A cache with the settings of a node. @param {string} dir @param {number} port @param {number} [source] port */
async function startCache(dir, port, source) {
  fs.mkdirSync(dir);
  const sourceFile = path.join(dir, 'source.conf');
  fs.writeFileSync(sourceFile, source ? `replicaof 127.0.0.1 ${source}\n` : '');
  const text = fs
    .readFileSync(path.join(root, 'scripts/fleet/roles/cache/templates/cache.conf.j2'), 'utf8')
    .replaceAll('{{ redis_password }}', password)
    .replace('{{ loopback_and_own | join(" ") }}', '127.0.0.1')
    .replace(/^port 6379$/m, `port ${port}`)
    .replace('/var/lib/{{ cache_engine }}', dir)
    .replace('{{ cache_keys_mb }}', '32')
    .replace('/etc/{{ cache_engine }}/catalog-source.conf', sourceFile);
  expect(text).not.toContain('{{');
  fs.writeFileSync(path.join(dir, 'redis.conf'), text);
  const { pid } = await spawnDaemon([binaries().valkeyServer, path.join(dir, 'redis.conf')], {
    log: path.join(dir, 'log'),
  });
  return { pid, url: `redis://:${password}@127.0.0.1:${port}` };
}

describe('a cache with a replica', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'caches-'));
  /** @type {{ pid: number, url: string }[]} */
  const caches = [];
  /** @type {Redis} */
  let replica;
  /** @type {Awaited<ReturnType<typeof createCatalog>>} */
  let catalog;
  /** @type {Awaited<ReturnType<typeof startService>>[]} */
  const workers = [];

  /** @param {string} cacheUrl */
  async function startWorker(cacheUrl) {
    const worker = await startService({
      DATABASE_URL: catalog.dsn,
      REDIS_URL: cacheUrl,
      REDIS_KEY_PREFIX: 'pair:',
      REDIS_RECONNECT_MS: 50,
      BREAKER_OPEN_MS: 100,
    });
    workers.push(worker);
    await until(() => worker.service.health().parts.cache === 'up');
    return worker;
  }

  beforeAll(async () => {
    const port = await freePort(2);
    catalog = await createCatalog(manyProducts(50));
    caches.push(await startCache(path.join(dir, 'primary'), port));
    caches.push(await startCache(path.join(dir, 'replica'), port + 1, port));
    replica = new Redis(caches[1].url);
    replica.on('error', () => {});
    await until(async () => (await replica.info('replication')).includes('master_link_status:up'));
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    replica?.disconnect();
    await Promise.all(caches.map(({ pid }) => stopPid(pid, 'SIGKILL', 5000)));
    await catalog?.drop();
    fs.rmSync(dir, { recursive: true, force: true });
  });

  test('fails no read when it is lost, and the replica that replaces it is warm', async () => {
    const worker = await startWorker(caches[0].url);
    expect((await request(worker.url).get('/products/2')).status).toBe(200);
    await until(async () => (await replica.keys('pair:*/product/*')).length === 1);
    await stopPid(caches[0].pid, 'SIGKILL', 5000);
    await until(() => worker.service.health().parts.cache === 'down');
    for (const id of [2, 4, 9]) expect((await request(worker.url).get(`/products/${id}`)).status).toBe(200);

    await replica.replicaof('NO', 'ONE'); // as the role cache does it
    const other = await startWorker(caches[1].url);
    expect((await request(other.url).get('/products/2')).status).toBe(200);
    expect(other.counts).toMatchObject({ l2: 1 });
    expect(other.counts.database).toBeUndefined();
  });
});
