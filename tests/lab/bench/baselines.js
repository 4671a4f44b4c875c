'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { freePort } = require('../../../scripts/local/ports');
const { withClient } = require('../../../scripts/local/roles');
const { runOrThrow } = require('../../../scripts/lib/run');
const { binaries } = require('../../../scripts/lib/runtime');
const { pathsFile } = require('./dataset');
const { bothCores, startNginx, startPinned } = require('./pinned');
const { interrupted } = require('./running');
/** @import { Dataset } from './dataset' */

/** The same bytes for every request, from node:http. @param {string} file @param {Dataset} dataset */
async function startConstant(file, { log }) {
  const port = await freePort();
  const command = [process.execPath, path.join(__dirname, 'constant.js'), String(port), file];
  return startPinned(command, { port, log });
}

/**
 * What the database alone reaches, with prepared statements and without a service. It may use both cores.
 * @param {string} dsn @param {string[]} options of pgbench, with `--file` or `--builtin` @param {number} seconds
 */
async function runPgbench(dsn, options, seconds) {
  const command = [
    path.join(binaries().postgresBin, 'pgbench'),
    ...['--no-vacuum', '--protocol', 'prepared', '--client', '16', '--jobs', '2', ...options],
    ...['--time', String(seconds), dsn],
  ];
  const output = await runOrThrow(command, {}, { keepOutput: true, signal: interrupted });
  return { rps: Number(/^tps = ([\d.]+)/m.exec(output)?.[1]), p99Ms: NaN, errors: 0 };
}

/** The same lookup. @param {Dataset} dataset @param {number} seconds */
async function pgbench({ dir, postgres }, seconds) {
  const largest = await withClient(postgres.dsn('api'), async (client) => {
    const { rows } = await client.query('SELECT max(id) AS id FROM catalog.styles_documents');
    return rows[0].id;
  });
  const script = path.join(dir, 'lookup.sql');
  const lookup = 'SELECT body FROM catalog.styles_documents WHERE id = :id;';
  fs.writeFileSync(script, `\\set id random(1, ${largest})\n${lookup}\n`);
  return runPgbench(postgres.dsn('api'), ['--file', script], seconds);
}

/** The tables of pgbench's own transactions, 5 million rows. @param {string} dsn */
const makePgbench = (dsn) =>
  runOrThrow(
    [path.join(binaries().postgresBin, 'pgbench'), ...['--initialize', '--quiet', '--scale', '50', dsn]],
    {},
    { keepOutput: true, signal: interrupted },
  );

/** The write-back of the article, on a table of its own with the quantities. @param {Dataset} dataset @param {string} redisUrl */
async function startWriteBack({ postgres, log }, redisUrl) {
  const dsn = postgres.superuserDsn('catalog');
  await withClient(dsn, async (client) => {
    await client.query(`DROP TABLE IF EXISTS bench_write_back;
      CREATE TABLE bench_write_back (id int PRIMARY KEY, quantity int NOT NULL);
      INSERT INTO bench_write_back SELECT id, quantity FROM catalog.skus; ANALYZE bench_write_back`);
  });
  const port = await freePort();
  const command = [process.execPath, path.join(__dirname, 'write-back.js'), String(port), dsn, redisUrl];
  return { ...(await startPinned(command, { port, log, cpu: bothCores })), key: '' };
}

/** nginx with bodies as files, and a file of their paths. @param {string} dir @param {string[]} bodies */
async function startStatic(dir, bodies) {
  const files = path.join(dir, 'static');
  fs.rmSync(files, { recursive: true, force: true });
  fs.mkdirSync(files);
  bodies.forEach((body, index) => fs.writeFileSync(path.join(files, `${index}.json`), body));
  const names = bodies.map((_, index) => `/${index}.json`);
  const server = await startNginx(
    { dir, name: 'static', cpu: '0' },
    (port, work) => `daemon off; user root; worker_processes auto;
      pid "${work}/nginx.pid"; error_log "${work}/error.log"; events { worker_connections 4096; }
      http {
        access_log off; keepalive_requests 1000000000; open_file_cache max=4000; types { application/json json; }
        server { listen 127.0.0.1:${port}; root "${files}"; }
      }`,
  );
  return { server, paths: pathsFile(dir, 'static', names) };
}

module.exports = { makePgbench, pgbench, runPgbench, startConstant, startStatic, startWriteBack };
