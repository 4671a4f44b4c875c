'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { promisify } = require('node:util');
const { freePort } = require('../local/ports');
const { withClient } = require('../local/roles');
const { binaries } = require('../lib/runtime');
const { startCache } = require('./own-stack');
const { bothCores, startNginx, startPinned } = require('./pinned');
const { interrupted } = require('./running');
/** @import { Dataset } from './dataset' */

const run = promisify(execFile);
const programs = path.join(__dirname, 'programs');

/**
 * The same bytes for every request.
 * @param {'http' | 'express'} kind @param {string} file @param {Dataset} dataset
 */
async function startConstant(kind, file, { log }) {
  const port = await freePort();
  const command = [process.execPath, path.join(programs, 'constant.js'), kind, String(port), file];
  return startPinned(command, { port, log });
}

/**
 * What the database alone reaches: the same lookup as a prepared statement, without a service. It may use both cores.
 * @param {Dataset} dataset @param {number} seconds
 */
async function pgbench({ dir, postgres }, seconds) {
  const largest = await withClient(postgres.dsn('api'), async (client) => {
    const { rows } = await client.query('SELECT max(id) AS id FROM catalog.styles_documents');
    return rows[0].id;
  });
  const script = path.join(dir, 'lookup.sql');
  fs.writeFileSync(
    script,
    `\\set id random(1, ${largest})\nSELECT body FROM catalog.styles_documents WHERE id = :id;\n`,
  );
  const { stdout } = await run(
    path.join(binaries().postgresBin, 'pgbench'),
    [
      ...['--no-vacuum', '--protocol', 'prepared', '--client', '16', '--jobs', '2'],
      ...['--time', String(seconds), '--file', script, postgres.dsn('api')],
    ],
    { signal: interrupted },
  );
  return { rps: Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]), p99Ms: NaN, errors: 0 };
}

/** Two processes of the predecessor with their cache, behind an nginx that only balances. @param {Dataset} dataset */
async function startPredecessor(dataset) {
  const { dir, postgres, log } = dataset;
  const env = { DATABASE_URL: postgres.dsn('loader'), REDIS_URL: await startCache(dataset, 'predecessor') };
  const startOne = async () => {
    const port = await freePort();
    const command = [process.execPath, path.join(programs, 'predecessor.js'), String(port)];
    return startPinned(command, { port, env, log, cpu: bothCores });
  };
  const servers = [await startOne(), await startOne()].map(({ port }) => `server 127.0.0.1:${port};`).join(' ');
  return startNginx({ dir, name: 'plain', cpu: bothCores }, (port, work) =>
    nginxText(
      work,
      `upstream workers { ${servers} keepalive 128; }
      server { listen 127.0.0.1:${port};
        location / { proxy_pass http://workers; proxy_http_version 1.1; proxy_set_header Connection ""; } }`,
    ),
  );
}

/** nginx with the files of a folder. @param {string} dir @param {string} files */
const startStaticNginx = (dir, files) =>
  startNginx({ dir, name: 'static', cpu: '0' }, (port, work) =>
    nginxText(
      work,
      `open_file_cache max=4000; types { application/json json; }
      server { listen 127.0.0.1:${port}; root "${files}"; }`,
    ),
  );

/** @param {string} work @param {string} http its lines */
const nginxText = (work, http) => `daemon off; user root; worker_processes auto;
  pid "${work}/nginx.pid"; error_log "${work}/error.log"; events { worker_connections 4096; }
  http { access_log off; keepalive_requests 1000000000; ${http} }`;

module.exports = { pgbench, startConstant, startPredecessor, startStaticNginx };
