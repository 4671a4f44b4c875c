'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const { generateSample, loadCatalog, prepareCatalog } = require('../../../scripts/lib/commands');
const { environment } = require('../../../scripts/lib/environment');
const { get } = require('../../../scripts/lib/probe');
const { isAlive } = require('../../../scripts/lib/proc');
const { runOrThrow, runTool } = require('../../../scripts/lib/run');
const { startPostgres } = require('../../../scripts/local/postgres');
const { withClient } = require('../../../scripts/local/roles');
const { openState } = require('../../../scripts/local/state');
const { unless } = require('../../helpers/skip');
const { rig, timeUntil } = require('./chain');
const { inTime } = require('./limits');

/** A cluster, its WAL and two small catalogs, and little more. */
const diskMb = 256;
const diskProducts = 500;
/** As small as PostgreSQL allows, or the disk would be full of WAL before anything happens. */
const settings = { shared_buffers: '16MB', min_wal_size: '32MB', max_wal_size: '48MB' };
/** From the return of PostgreSQL until the worker is ready. */
const readyMs = 3000;

const cached = ['/products/1', '/products/2/styles', '/products?count=5'];
const others = Array.from({ length: 20 }, (_, index) => `/products/${index + 5}`);

/** Begins one segment of the WAL after another until none fits. @param {string} dsn of the superuser */
const useUpWal = (dsn) =>
  withClient(dsn, async (client) => {
    for (;;) await client.query("SELECT pg_logical_emit_message(false, 'faults', 'x'), pg_switch_wal()");
  }).catch((error) => {
    if (!/terminat|closed|No space|ECONNRESET/i.test(error.message)) throw error;
  });

/** @param {string} disk */
async function fillDisk(disk) {
  const [dir, data, filler] = [path.join(disk, 'state'), path.join(rig.dir, 'small'), path.join(disk, 'filler')];
  await runOrThrow(generateSample(data, diskProducts));
  let postgres = await startPostgres({ dir, settings });
  const loader = { LOADER_DATABASE_URL: postgres.dsn('loader') };
  const command = [...loadCatalog(data, openState(dir).rejects), '--again'];
  const load = () => runTool(command, { env: environment('loader', loader), keepOutput: true });
  await runOrThrow(prepareCatalog(), loader);
  await load();
  const worker = await rig.startWorker({ DATABASE_URL: postgres.dsn('api'), REDIS_URL: '' });
  const statusesOf = async (/** @type {string[]} */ paths) => {
    const statuses = new Set();
    for (const each of paths) statuses.add((await get(worker.url + each)).status);
    return [...statuses];
  };
  try {
    for (let round = 0; round < 3; round += 1) await statusesOf(cached);
    spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k'], { env: environment('tool') }); // until nothing is left
    const refused = { status: 2, output: expect.stringContaining('free: make room') };
    expect(await load()).toMatchObject(refused); // before it begins
    await useUpWal(postgres.superuserDsn('catalog'));
    await Promise.race([postgres.exited, sleep(20_000, undefined, { ref: false })]);
    expect(isAlive(postgres.pid)).toBe(false); // it stops itself without room for its WAL
    expect(await statusesOf(cached)).toEqual([200]);
    const { status, headers } = await fetch(`${worker.url}/products/499`);
    expect([status, headers.has('retry-after'), worker.isAlive()]).toEqual([503, true, true]);
    fs.rmSync(filler);
    await postgres.stop('immediate');
    postgres = await startPostgres({ dir, settings }); // as the supervisor of `npm start` would
    expect(await timeUntil(worker.isReady, 15_000)).toEqual(inTime(readyMs));
    expect(await statusesOf(others)).toEqual([200]);
    expect(await load()).toMatchObject({ status: 0 });
  } finally {
    await worker.stop();
    await postgres.stop('immediate');
  }
}

unless(process.getuid?.() !== 0 && 'needs root, to mount a small disk').test(
  'P7 a full disk refuses a load, stops PostgreSQL, and 3 s after it has room all is served',
  async () => {
    const disk = path.join(rig.dir, 'disk');
    fs.mkdirSync(disk, { recursive: true });
    await runOrThrow(['mount', '-t', 'tmpfs', '-o', `size=${diskMb}m,mode=0755`, 'tmpfs', disk]);
    await fillDisk(disk).finally(() => runOrThrow(['umount', '--lazy', disk]));
  },
);
