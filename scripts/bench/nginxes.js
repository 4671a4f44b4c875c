'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { renderNginx } = require('../../nginx/render');
const { memoryFolder } = require('../lib/nginx-folders');
const { freePort } = require('../lib/ports');
const { binaries } = require('../lib/runtime');
const { start } = require('./contestants');
const { register } = require('./running');
/** @import { Contestant } from './contestants' */

const openFiles = 8192;

/**
 * nginx with the configuration of the service, in front of these workers.
 * @param {{ dir: string, workers: Contestant[], cpu?: string }} options
 */
async function startOurNginx({ dir, workers, cpu = '0' }) {
  const port = await freePort();
  const work = path.join(dir, 'nginx');
  fs.rmSync(work, { recursive: true, force: true });
  fs.mkdirSync(work, { recursive: true });
  const addresses = workers.map((worker) => `127.0.0.1:${worker.port}`);
  const cache = memoryFolder(work);
  const settings = { port, workers: addresses, work, cache, logs: work, openFiles, user: 'root' };
  const config = path.join(work, 'nginx.conf');
  // "auto" counts the machine's cores, not those it is given here.
  const processes = `worker_processes ${cpu.split(',').length};`;
  const text = renderNginx(settings).replace('worker_processes auto;', processes);
  fs.writeFileSync(config, text);
  const command = [binaries().nginx, '-p', work, '-c', config];
  return forgetting(cache, await start(command, { port, cpu, log: path.join(work, 'start.log') }));
}

/**
 * @param {string | undefined} cache outside of the folder that is made anew @param {Contestant} server
 * @returns {Contestant} that takes its cache with it
 */
function forgetting(cache, server) {
  const stop = register(async () => {
    await server.stop();
    if (cache) fs.rmSync(cache, { recursive: true, force: true });
  });
  return { ...server, stop };
}

/**
 * nginx that only hands on, with kept connections.
 * @param {{ dir: string, workers: Contestant[], cpu: string }} options
 */
async function startPlainNginx({ dir, workers, cpu }) {
  const servers = workers.map((worker) => `server 127.0.0.1:${worker.port};`).join(' ');
  return startNginx(
    dir,
    'plain',
    cpu,
    (port) => `
    upstream workers { ${servers} keepalive 128; }
    server { listen 127.0.0.1:${port};
      location / { proxy_pass http://workers; proxy_http_version 1.1; proxy_set_header Connection ""; } }`,
  );
}

/**
 * nginx with nothing but its own cache, whose entries never get old: the most that any cache of nginx gives.
 * @param {{ dir: string, workers: Contestant[] }} options
 */
async function startBareCacheNginx({ dir, workers: [worker] }) {
  const cache = memoryFolder(dir) ?? path.join(dir, 'nginx-replies');
  const server = await startNginx(
    dir,
    'cache',
    '0',
    (port) => `
    request_pool_size 16k; connection_pool_size 4k; open_file_cache max=4000;
    proxy_cache_path "${cache}" levels=1:2 use_temp_path=off keys_zone=replies:8m;
    server { listen 127.0.0.1:${port};
      location / { proxy_pass http://127.0.0.1:${worker.port}; proxy_cache replies; proxy_cache_key $request_uri;
        proxy_cache_valid 200 1h; proxy_ignore_headers Cache-Control Vary; } }`,
  );
  return forgetting(cache, server);
}

/**
 * nginx with files of a folder: what a reply out of its cache is measured against.
 * @param {{ dir: string, files: string }} options
 */
async function startStaticNginx({ dir, files }) {
  return startNginx(
    dir,
    'static',
    '0',
    (port) => `
    open_file_cache max=4000; types { application/json json; }
    server { listen 127.0.0.1:${port}; root "${files}"; }`,
  );
}

/**
 * @param {string} dir @param {string} name @param {string} cpu
 * @param {(port: number) => string} http
 */
async function startNginx(dir, name, cpu, http) {
  const port = await freePort();
  const work = path.join(dir, `nginx-${name}`);
  fs.mkdirSync(work, { recursive: true });
  const config = path.join(work, 'nginx.conf');
  fs.writeFileSync(
    config,
    `daemon off; user root; worker_processes ${cpu.split(',').length};
     pid "${work}/nginx.pid"; error_log "${work}/error.log";
     events { worker_connections ${openFiles / 2}; }
     http { access_log off; keepalive_requests 1000000000; ${http(port)} }`,
  );
  const command = [binaries().nginx, '-p', work, '-c', config];
  return start(command, { port, cpu, log: path.join(work, 'start.log') });
}

module.exports = { startBareCacheNginx, startOurNginx, startPlainNginx, startStaticNginx };
