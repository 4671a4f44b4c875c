'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { Client } = require('pg');

const { generateSample, loadCatalog, prepareCatalog } = require('../../lib/commands');
const { environment } = require('../../lib/environment');
const { startPostgres } = require('../../lib/postgres');
const { get } = require('../../lib/probe');
const { isAlive } = require('../../lib/proc');
const { runOrThrow, runTool } = require('../../lib/run');
const { openState } = require('../../lib/state');
const { atMost, exactly, holds } = require('../checks');
const { timeUntil } = require('../scenario');

/** @typedef {import('../rig').Rig} Rig */

/** A cluster, its WAL and two small catalogs, and little more. */
const diskMb = 256;
const products = 500;
const endTimeoutMs = 20_000;
/** As small as PostgreSQL takes them, or the disk would be full of WAL before anything happens. */
const small = { shared_buffers: '16MB', min_wal_size: '32MB', max_wal_size: '48MB' };

/** @returns {string} */
function cannotMount() {
  return process.getuid?.() === 0 ? '' : 'needs root, to mount a small disk';
}

/** @param {string} dir @returns {() => void} */
function mountSmallDisk(dir) {
  fs.mkdirSync(dir, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMb}m,mode=0755`, 'tmpfs', dir], {
    env: environment('server'),
  });
  return () => void execFileSync('umount', ['--lazy', dir], { env: environment('server') });
}

/** Takes every free byte. @param {string} disk @returns {() => void} */
function fill(disk) {
  const file = path.join(disk, 'filler');
  const out = fs.openSync(file, 'w');
  for (const bytes of [1_048_576, 4096]) while (writes(out, Buffer.alloc(bytes)));
  fs.closeSync(out);
  return () => fs.rmSync(file);
}

/** @param {number} out @param {Buffer} bytes @returns {boolean} false when the disk is full */
function writes(out, bytes) {
  try {
    return fs.writeSync(out, bytes) === bytes.length;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOSPC') return false;
    throw error;
  }
}

/** Begins one segment of the WAL after another until there is no room for one. @param {string} dsn of the superuser */
async function useUpWal(dsn) {
  const client = new Client({ connectionString: dsn });
  client.on('error', () => {}); // its server ends
  await client.connect();
  try {
    for (;;) await client.query("SELECT pg_logical_emit_message(false, 'faults', 'x'), pg_switch_wal()");
  } catch (error) {
    if (!/terminat|closed|No space/i.test(/** @type {Error} */ (error).message)) throw error;
  }
}

/** @param {Rig} rig */
async function diskFull(rig) {
  const disk = path.join(rig.dir, 'disk');
  const unmount = mountSmallDisk(disk);
  try {
    return await onDisk(rig, disk);
  } finally {
    unmount();
  }
}

/** @param {Rig} rig @param {string} disk */
async function onDisk(rig, disk) {
  const dir = path.join(disk, 'state');
  const data = path.join(rig.dir, 'small');
  await runOrThrow(generateSample(data, products));
  let postgres = await startPostgres({ dir, settings: small });
  const env = { LOADER_DATABASE_URL: postgres.dsn('loader') };
  const load = () =>
    runTool([...loadCatalog(data, openState(dir).rejects), '--again'], {
      env: environment('loader', env),
      keepOutput: true,
    });
  await runOrThrow(prepareCatalog(), env);
  await load();
  const worker = await rig.startStandaloneWorker({ DATABASE_URL: postgres.dsn('api'), REDIS_URL: '' });
  const status = async (/** @type {string} */ tail) => (await get(worker.url + tail)).status;
  const statuses = async (/** @type {string[]} */ tails) => {
    const all = [];
    for (const tail of tails) all.push(await status(tail));
    return all.filter((one) => one !== 200).length;
  };
  try {
    const known = ['/products/1', '/products/2/styles', '/products?count=5'];
    for (let round = 0; round < 3; round += 1) await statuses(known);
    const empty = fill(disk);
    const refused = await load();
    await useUpWal(postgres.superuserDsn('catalog'));
    await Promise.race([postgres.exited, sleep(endTimeoutMs, undefined, { ref: false })]);
    const ended = !isAlive(postgres.pid);
    const cached = await statuses(known);
    const missed = await fetch(`${worker.url}/products/499`);
    const alive = worker.isAlive();
    empty();
    await postgres.stop('immediate');
    postgres = await startPostgres({ dir, settings: small }); // as the supervisor of `npm start` would
    const backMs = await timeUntil(worker.isReady, 15_000);
    return [
      holds(
        'a load is refused before it begins, with its reason',
        refused.status === 2 && refused.output.includes('free: make room'),
        refused.output.trim().split('\n').at(-1)?.replaceAll(rig.dir, path.basename(rig.dir)),
      ),
      holds('PostgreSQL, whose WAL finds no room, stops itself', ended),
      exactly('of three reads that L1 has not answered 200', cached),
      exactly('status of one that it has not', missed.status, 503),
      holds('which says when to ask again', missed.headers.has('retry-after')),
      holds('the worker lives', alive),
      atMost('ready after its return', backMs / 1000, 3, ' s'),
      exactly(
        'of 20 other products not answered 200 then',
        await statuses(Array.from({ length: 20 }, (_, index) => `/products/${index + 5}`)),
      ),
      exactly('status of a load then', (await load()).status),
    ];
  } finally {
    await worker.stop();
    await postgres.stop('immediate');
  }
}

/** @type {import('../run').Fault[]} */
const diskFaults = [
  {
    id: 'P7',
    title: 'Disk full',
    done: 'PostgreSQL on a disk of 256 MB without a free byte: a load, then writes until its WAL is full',
    run: diskFull,
    cannot: cannotMount,
  },
];

module.exports = { diskFaults };
