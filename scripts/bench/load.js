'use strict';
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { finished } = require('node:stream/promises');
const { loadCatalog, prepareCatalog } = require('../lib/commands');
const { environment } = require('../lib/environment');
const { startPostgres } = require('../lib/postgres');
const { root } = require('../lib/runtime');
const { shellLine } = require('../lib/words');
const { measureFloor } = require('./floor');
const { memoryOf, usedMb, watchPeak } = require('./peaks');
const { interrupted, register } = require('./running');
const { dataOf } = require('./dataset');

const bars = { normalisedOverFloor: 0.9, servedOverFloor: 1.5, memoryMb: 450, oneJobMemoryMb: 256 };
/** A loader's buffers live for seconds; 4 samples a second see every step without a cost of their own. */
const memoryEveryMs = 250;
/** Tables grow by 100 MB a second; a thousand files are counted in 10 ms. */
const diskEveryMs = 1000;

/**
 * Runs a loader command and watches the memory of all its processes.
 * @param {string[]} command @param {string} dsn
 */
async function runLoader([program, ...args], dsn) {
  const child = spawn(program, args, {
    cwd: root,
    env: environment('loader', { LOADER_DATABASE_URL: dsn }),
    signal: interrupted,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  // Progress and the time of each step stand in the error stream; the tables for a person in the other.
  child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
  const stopMemory = watchPeak(() => memoryOf(/** @type {number} */ (child.pid)), memoryEveryMs);
  const startedMs = performance.now();
  let pssMb = 0;
  const [code] = await once(child, 'close').finally(() => (pssMb = stopMemory()));
  const seconds = (performance.now() - startedMs) / 1000;
  if (code !== 0) throw new Error(`${shellLine(args)} ended with status ${code}:\n${output}`);
  return { seconds, pssMb, steps: stepSeconds(output) };
}

/** @param {string} output @returns {Record<string, number>} the loader's own lines: `copy: 31.0 s` */
const stepSeconds = (output) =>
  Object.fromEntries([...output.matchAll(/^(\w+): ([\d.]+) s$/gm)].map(([, step, seconds]) => [step, Number(seconds)]));

/**
 * A server of its own for each contestant: the next one would find WAL files that it need not create.
 * @template T
 * @param {(postgres: import('../lib/postgres').Postgres, dir: string) => Promise<T>} use
 * @returns {Promise<T>}
 */
async function onFreshServer(use) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-bench-'));
  const postgres = await startPostgres({ dir });
  const stop = register(() => postgres.stop());
  try {
    return await use(postgres, dir);
  } finally {
    await stop();
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

/** @param {string} data @param {string[]} options */
const freshLoad = (data, options) =>
  onFreshServer(async (postgres, dir) => {
    await runLoader(prepareCatalog(), postgres.dsn('loader'));
    const command = loadCatalog(data, path.join(dir, 'rejects'));
    const [stopTables, stopWal] = ['base', 'pg_wal'].map((name) =>
      watchPeak(() => usedMb(path.join(dir, 'pgdata', name)), diskEveryMs),
    );
    let sizes = { tablesMb: 0, walMb: 0 };
    // Of a load that fails too: they would look into a folder that is gone, which ends all of bench.
    const loaded = await runLoader([...command, ...options], postgres.dsn('loader')).finally(() => {
      sizes = { tablesMb: stopTables(), walMb: stopWal() };
    });
    return { ...loaded, ...sizes };
  });

/** Into the page cache: who loads first would pay the disk for all. @param {string} data */
async function readOnce(data) {
  for (const name of fs.readdirSync(data)) {
    const file = fs.createReadStream(path.join(data, name), { highWaterMark: 1 << 20, signal: interrupted });
    await finished(file.resume());
  }
}

/**
 * The loader against what psql needs for the same files on the same settings, and its memory.
 * @param {{ products: number, say: (line: string) => void }} options
 * @returns {Promise<import('./bars').Part>}
 */
async function load({ products, say }) {
  const data = await dataOf(products);
  await readOnce(data);
  say('psql');
  const floor = await onFreshServer((postgres) => measureFloor(postgres.superuserDsn('catalog'), data));
  say('the loader with its default of two jobs');
  const two = await freshLoad(data, []);
  say('the loader with one job');
  const one = await freshLoad(data, ['--jobs', '1']);
  const floorSeconds = floor.copySeconds + floor.indexSeconds;
  const normalisedSeconds = two.steps.copy + two.steps.index;
  /** @param {string} what @param {number} seconds @param {number} [memoryMb] */
  const row = (what, seconds, memoryMb) => ({ route: 'load', what, seconds, memoryMb });
  return {
    name: 'load',
    rows: [
      row('psql \\copy, six files', floor.copySeconds),
      row('psql keys, indexes, ANALYZE', floor.indexSeconds),
      ...Object.entries(two.steps).map(([step, seconds]) => row(`loader, ${step}`, seconds)),
      row('loader, all', two.seconds, two.pssMb),
      row('loader --jobs 1, all', one.seconds, one.pssMb),
      { route: 'load', what: 'tables, indexes, documents (they stay)', diskMb: one.tablesMb },
      { route: 'load', what: 'WAL at most', diskMb: one.walMb },
    ],
    bars: [
      {
        what: 'tables and indexes / psql',
        atMost: bars.normalisedOverFloor,
        is: normalisedSeconds / floorSeconds,
      },
      {
        what: 'everything, served / psql',
        atMost: bars.servedOverFloor,
        is: two.seconds / floorSeconds,
      },
      { what: 'memory of all processes, MB (PSS)', atMost: bars.memoryMb, is: two.pssMb },
      { what: 'memory with --jobs 1, MB (PSS)', atMost: bars.oneJobMemoryMb, is: one.pssMb },
    ],
  };
}

module.exports = { load, freshLoad, bars };
