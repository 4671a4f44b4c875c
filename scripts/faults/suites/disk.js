'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { Client } = require('pg');

const { generateSample, loadCatalog, prepareCatalog } = require('../../lib/commands');
const { environment } = require('../../lib/environment');
const { startPostgres } = require('../../local/postgres');
const { get } = require('../../lib/probe');
const { isAlive } = require('../../lib/proc');
const { runOrThrow, runTool } = require('../../lib/run');
const { openState } = require('../../local/state');
const { atMost, exactly, holds } = require('../checks');
const { timeUntil } = require('../scenario');

/** @typedef {import('../../testbed/rig').Rig} Rig */

/** A cluster, its WAL and two small catalogs, and little more. */
const diskMb = 256;
const diskProducts = 500;
/** As small as PostgreSQL allows, or the disk would be full of WAL before anything happens. */
const small = { shared_buffers: '16MB', min_wal_size: '32MB', max_wal_size: '48MB' };

/** Takes every free byte. @param {string} disk @returns {() => void} how to give them back */
function fill(disk) {
  const file = path.join(disk, 'filler');
  const out = fs.openSync(file, 'w');
  const writes = (/** @type {Buffer} */ bytes) => {
    try {
      return fs.writeSync(out, bytes) === bytes.length;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOSPC') return false;
      throw error;
    }
  };
  for (const bytes of [1_048_576, 4096]) while (writes(Buffer.alloc(bytes)));
  fs.closeSync(out);
  return () => fs.rmSync(file);
}

/** Begins one segment of the WAL after another until none fits. @param {string} dsn of the superuser */
async function useUpWal(dsn) {
  const client = new Client({ connectionString: dsn });
  client.on('error', () => {}); // its server ends
  await client.connect();
  try {
    for (;;) await client.query("SELECT pg_logical_emit_message(false, 'faults', 'x'), pg_switch_wal()");
  } catch (error) {
    if (!/terminat|closed|No space|ECONNRESET/i.test(/** @type {Error} */ (error).message)) throw error;
  }
}

/** @param {Rig} rig */
async function diskFull(rig) {
  const disk = path.join(rig.dir, 'disk');
  const options = { env: environment('server') };
  fs.mkdirSync(disk, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMb}m,mode=0755`, 'tmpfs', disk], options);
  try {
    return await onDisk(rig, disk);
  } finally {
    execFileSync('umount', ['--lazy', disk], options);
  }
}

/** @param {Rig} rig @param {string} disk */
async function onDisk(rig, disk) {
  const [dir, data] = [path.join(disk, 'state'), path.join(rig.dir, 'small')];
  await runOrThrow(generateSample(data, diskProducts));
  const postgres = await startPostgres({ dir, settings: small });
  const opened = [postgres];
  const loader = { LOADER_DATABASE_URL: postgres.dsn('loader') };
  const command = [...loadCatalog(data, openState(dir).rejects), '--again'];
  const load = () => runTool(command, { env: environment('loader', loader), keepOutput: true });
  await runOrThrow(prepareCatalog(), loader);
  await load();
  const checks = rig.withWorker({ DATABASE_URL: postgres.dsn('api'), REDIS_URL: '' }, async (worker) => {
    const failures = async (/** @type {string[]} */ paths) => {
      let failed = 0;
      for (const each of paths) if ((await get(worker.url + each)).status !== 200) failed += 1;
      return failed;
    };
    const known = ['/products/1', '/products/2/styles', '/products?count=5'];
    for (let round = 0; round < 3; round += 1) await failures(known);
    const empty = fill(disk);
    const { status, output } = await load();
    await useUpWal(postgres.superuserDsn('catalog'));
    await Promise.race([postgres.exited, sleep(20_000, undefined, { ref: false })]);
    const ended = !isAlive(postgres.pid);
    const cached = await failures(known);
    const missed = await fetch(`${worker.url}/products/499`);
    const alive = worker.isAlive();
    empty();
    await postgres.stop('immediate');
    opened.push(await startPostgres({ dir, settings: small })); // as the supervisor of `npm start` would
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
  });
  return checks.finally(() => opened.at(-1)?.stop('immediate'));
}

const needsRoot = () => (process.getuid?.() === 0 ? '' : 'needs root, to mount a small disk');

module.exports = { diskFaults: { P7: diskFull }, needsRoot };
