'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { loadCatalog, prepareCatalog, runLoader: loader } = require('../../../scripts/lib/commands');
const { environment } = require('../../../scripts/lib/environment');
const { startPostgres } = require('../../../scripts/local/postgres');
const { processTree, readOrNothing } = require('../../../scripts/lib/proc');
const { runOrThrow, runTool } = require('../../../scripts/lib/run');
const { root, binaries } = require('../../../scripts/lib/runtime');
const { shellLine } = require('../../../scripts/lib/words');
const { dataOf } = require('./dataset');
const { interrupted, register } = require('./running');
/** @import { Options, Part } from './report' */

const limits = { tablesOverPsql: 0.9, plainOverPsql: 1.9, searchOverPlain: 1.35, memoryMb: 450, oneJobMemoryMb: 256 };
/** A loader's buffers live for seconds; 4 samples a second see every step at no cost of their own. */
const memoryEveryMs = 250;

const schema = 'bench_psql';
const tablesSql = fs.readFileSync(path.join(root, 'db/schema/001_tables.sql'), 'utf8').replaceAll('{schema}', schema);

/** File, table with the columns of the file in their order, parent. */
const copies = [
  ['product.csv', 'products (id, name, slogan, description, category, default_price)', ''],
  ['styles.csv', 'styles (id, product_id, name, sale_price, original_price, is_default)', 'product_id'],
  ['photos.csv', 'photos (id, style_id, url, thumbnail_url)', 'style_id'],
  ['skus.csv', 'skus (id, style_id, size, quantity)', 'style_id'],
  ['features.csv', 'features (id, product_id, feature, value)', 'product_id'],
  ['related.csv', 'related (id, product_id, related_product_id)', 'product_id'],
];
const tables = copies.map(([, target, parent]) => ({ table: `${schema}.${target.split(' ')[0]}`, parent }));
const indexes = tables.flatMap(({ table, parent }) => [
  `ALTER TABLE ${table} ADD PRIMARY KEY (id)`,
  ...(parent ? [`CREATE INDEX ON ${table} (${parent})`] : []),
]);
const analyze = `ANALYZE ${tables.map(({ table }) => table).join(', ')}`;

/**
 * The load that you would type: `psql \copy` of the six files one after another, then six primary keys, five
 * indexes by parent and ANALYZE. It cleans nothing, checks nothing and builds no documents.
 * @param {string} dsn
 * @param {string} data folder of clean CSV files
 * @returns {Promise<number>} seconds
 */
async function measurePsql(dsn, data) {
  const psql = (/** @type {string[]} */ ...commands) => {
    const program = path.join(binaries().postgresBin, 'psql');
    const words = commands.flatMap((command) => ['--command', command]);
    const command = [program, dsn, '--quiet', '--no-psqlrc', '--set', 'ON_ERROR_STOP=1', ...words];
    return runOrThrow(command, {}, { keepOutput: true, signal: interrupted });
  };
  const withoutPosition = ['photos', 'features', 'related'].map(
    (table) => `ALTER TABLE ${schema}.${table} DROP COLUMN position`,
  );
  await psql(`CREATE SCHEMA ${schema}`, tablesSql, ...withoutPosition);
  const copy = (/** @type {string[]} */ [file, target]) =>
    `\\copy ${schema}.${target} FROM '${path.join(data, file).replaceAll("'", "''")}' (FORMAT csv, HEADER, NULL 'null')`;
  const startedMs = performance.now();
  await psql(...copies.map(copy), `${indexes.join('; ')}; ${analyze}`);
  return (performance.now() - startedMs) / 1000;
}

/**
 * Memory of a process and its descendants. PSS divides a page that several of them map (a shared library) among them, so
 * its sum is what the tree uses; a sum of RSS counts such a page once for each.
 * @param {number} pid @returns {() => number} stops watching and returns the peak in MB
 */
function watchMemory(pid) {
  let peakKb = 0;
  const look = () => {
    const rollups = processTree(pid).map((member) => readOrNothing(`/proc/${member}/smaps_rollup`));
    const kb = rollups.reduce((sum, text) => sum + Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0), 0);
    return (peakKb = Math.max(peakKb, kb));
  };
  const timer = setInterval(look, memoryEveryMs).unref();
  return () => {
    clearInterval(timer);
    return look() / 1024;
  };
}

/**
 * Runs a loader command and watches the memory of all its processes.
 * @param {string[]} command @param {string} dsn
 */
async function runLoader(command, dsn) {
  const env = environment('loader', { LOADER_DATABASE_URL: dsn });
  let stopMemory = () => 0;
  const onStart = (/** @type {number} */ pid) => void (stopMemory = watchMemory(pid));
  const startedMs = performance.now();
  const { status, output } = await runTool(command, { env, keepOutput: true, signal: interrupted, onStart });
  const [seconds, steps] = [(performance.now() - startedMs) / 1000, stepSeconds(output)];
  const memoryMb = stopMemory();
  if (status !== 0) throw new Error(`${shellLine(command)} ended with status ${status}:\n${output}`);
  return { seconds: seconds - (steps.writable ?? 0), memoryMb, steps }; // until it is served
}

/** @param {string} output @returns {Record<string, number>} of lines such as `copy: 31.0 s` */
const stepSeconds = (output) =>
  Object.fromEntries([...output.matchAll(/^(\w+): ([\d.]+) s$/gm)].map(([, step, seconds]) => [step, Number(seconds)]));

/** Each load gets a server of its own: the second load on a server would reuse the WAL files of the first. */
async function startFresh() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-bench-'));
  register(() => fs.promises.rm(dir, { recursive: true, force: true }));
  const postgres = await startPostgres({ dir });
  return { dir, postgres, stop: register(() => postgres.stop()) };
}

/** @param {string} data @param {string[]} options */
async function freshLoad(data, options) {
  const { dir, postgres, stop } = await startFresh();
  await runLoader(prepareCatalog(), postgres.dsn('loader'));
  const command = [...loadCatalog(data, path.join(dir, 'rejects')), ...options];
  try {
    const loaded = await runLoader(command, postgres.dsn('loader'));
    const { seconds: verifySeconds } = await runLoader(loader('verify', '--served'), postgres.dsn('loader'));
    return { ...loaded, verifySeconds };
  } finally {
    await stop();
  }
}

/** Into the page cache: otherwise only the first load would read the disk. @param {string} data */
async function readOnce(data) {
  for (const name of fs.readdirSync(data)) await fs.promises.readFile(path.join(data, name), { signal: interrupted });
}

/** The loader compared with psql on the same files and settings, and its memory. @param {Options} options @returns {Promise<Part>} */
async function load({ products, say }) {
  const data = await dataOf(products);
  await readOnce(data);
  say('psql');
  const { postgres, stop } = await startFresh();
  const psqlSeconds = await measurePsql(postgres.superuserDsn('catalog'), data).finally(stop);
  say('the loader with its default of two jobs');
  const two = await freshLoad(data, []);
  say('the loader without search');
  const plain = await freshLoad(data, ['--no-search']);
  say('the loader with one job');
  const one = await freshLoad(data, ['--jobs', '1']);
  const tablesSeconds = two.steps.copy + two.steps.index;
  /** @param {string} what @param {number} seconds @param {number} [memoryMb] */
  const row = (what, seconds, memoryMb) => ({ route: 'load', what, seconds, memoryMb });
  return {
    rows: [
      row('psql: \\copy of six files, keys, indexes, ANALYZE', psqlSeconds),
      ...Object.entries(two.steps).map(([step, seconds]) => row(`loader, ${step}`, seconds)),
      row('loader, all', two.seconds, two.memoryMb),
      row('verify --served', two.verifySeconds),
      row('loader --no-search, all', plain.seconds, plain.memoryMb),
      row('loader --jobs 1, all', one.seconds, one.memoryMb),
    ],
    targets: [
      { what: 'tables and indexes / psql', atMost: limits.tablesOverPsql, is: tablesSeconds / psqlSeconds },
      { what: 'load without search / psql', atMost: limits.plainOverPsql, is: plain.seconds / psqlSeconds },
      { what: 'S11 load with search / without', atMost: limits.searchOverPlain, is: two.seconds / plain.seconds },
      { what: 'memory of all processes, MB (PSS)', atMost: limits.memoryMb, is: two.memoryMb },
      { what: 'memory with --jobs 1, MB (PSS)', atMost: limits.oneJobMemoryMb, is: one.memoryMb },
    ],
  };
}

module.exports = { load };
