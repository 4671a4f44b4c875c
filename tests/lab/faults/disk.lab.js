'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const { generateSample, loadCatalog, prepareCatalog } = require('../../../../scripts/lib/commands');
const { environment } = require('../../../../scripts/lib/environment');
const { startPostgres } = require('../../../../scripts/local/postgres');
const { get } = require('../../../../scripts/lib/probe');
const { isAlive } = require('../../../../scripts/lib/proc');
const { runOrThrow, runTool } = require('../../../../scripts/lib/run');
const { withClient } = require('../../../../scripts/local/roles');
const { openState } = require('../../../../scripts/local/state');
const { atMost, exactly, holds } = require('../checks');
const { timeUntil } = require('../scenario');

/** A cluster, its WAL and two small catalogs, and little more. */
const diskMb = 256;
const diskProducts = 500;
/** As small as PostgreSQL allows, or the disk would be full of WAL before anything happens. */
const small = { shared_buffers: '16MB', min_wal_size: '32MB', max_wal_size: '48MB' };

/** Begins one segment of the WAL after another until none fits. @param {string} dsn of the superuser */
const useUpWal = (dsn) =>
  withClient(dsn, async (client) => {
    for (;;) await client.query("SELECT pg_logical_emit_message(false, 'faults', 'x'), pg_switch_wal()");
  }).catch((error) => {
    if (!/terminat|closed|No space|ECONNRESET/i.test(error.message)) throw error;
  });

/** @param {import('../../testbed/rig').Rig} rig @param {string} disk */
async function onDisk(rig, disk) {
  const [dir, data] = [path.join(disk, 'state'), path.join(rig.dir, 'small')];
  await runOrThrow(generateSample(data, diskProducts));
  const start = () => startPostgres({ dir, settings: small });
  const postgres = await start();
  let last = postgres;
  const loader = { LOADER_DATABASE_URL: postgres.dsn('loader') };
  const command = [...loadCatalog(data, openState(dir).rejects), '--again'];
  const load = () => runTool(command, { env: environment('loader', loader), keepOutput: true });
  await runOrThrow(prepareCatalog(), loader);
  await load();
  const worker = await rig.startWorker({ DATABASE_URL: postgres.dsn('api'), REDIS_URL: '' });
  try {
    const failures = async (/** @type {string[]} */ paths) => {
      let failed = 0;
      for (const each of paths) if ((await get(worker.url + each)).status !== 200) failed += 1;
      return failed;
    };
    const known = ['/products/1', '/products/2/styles', '/products?count=5'];
    for (let round = 0; round < 3; round += 1) await failures(known);
    const filler = path.join(disk, 'filler');
    spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k'], { env: environment('tool') }); // until nothing is left
    const { status, output } = await load();
    await useUpWal(postgres.superuserDsn('catalog'));
    await Promise.race([postgres.exited, sleep(20_000, undefined, { ref: false })]);
    const ended = !isAlive(postgres.pid);
    const cached = await failures(known);
    const missed = await fetch(`${worker.url}/products/499`);
    const alive = worker.isAlive();
    fs.rmSync(filler);
    await postgres.stop('immediate');
    last = await start(); // as the supervisor of `npm start` would
    const backMs = await timeUntil(worker.isReady, 15_000);
    const others = Array.from({ length: 20 }, (_, index) => `/products/${index + 5}`);
    const reason = output.trim().split('\n').at(-1)?.replaceAll(rig.dir, path.basename(rig.dir));
    return [
      holds('a load is refused before it begins', status === 2 && output.includes('free: make room'), reason),
      holds('PostgreSQL without room for its WAL stops itself', ended),
      exactly('of three reads that L1 has not answered 200', cached),
      exactly('status of one that it has not', missed.status, 503),
      holds('with Retry-After', missed.headers.has('retry-after')),
      holds('the worker lives', alive),
      atMost('ready after its return', backMs / 1000, 3, ' s'),
      exactly('of 20 other products not answered 200 then', await failures(others)),
      exactly('status of a load then', (await load()).status),
    ];
  } finally {
    await worker.stop();
    await last.stop('immediate');
  }
}

/** @type {import('../run').Runs} */
const runs = {
  async P7(rig) {
    const disk = path.join(rig.dir, 'disk');
    fs.mkdirSync(disk, { recursive: true });
    await runOrThrow(['mount', '-t', 'tmpfs', '-o', `size=${diskMb}m,mode=0755`, 'tmpfs', disk]);
    return onDisk(rig, disk).finally(() => runOrThrow(['umount', '--lazy', disk]));
  },
};

const cannot = { P7: () => (process.getuid?.() === 0 ? '' : 'needs root, to mount a small disk') };

module.exports = { cannot, runs };
