'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { renderNginx } = require('../../nginx/render');
const { binaries } = require('../lib/runtime');
const { freePort, start, startConstant, startWorker } = require('./contestants');
const { openStage, writePaths } = require('./stage');
const { interleave, median } = require('./statistics');
const { wrk } = require('./wrk');
/** @import { Contestant } from './contestants' */
/** @import { Stage } from './stage' */

const hotIds = 1000;
const openFiles = 8192;
const bars = { nginxOverStatic: 0.7, workerOverExpress: 0.9, workerOverHttp: 0.65 };

/** What each route is asked; a list's hot set is its first pages. */
const routes = /** @type {const} */ ({
  list: '',
  product: '',
  styles: '/styles',
  related: '/related',
});
/** @typedef {keyof typeof routes} Route */

/** @param {Stage} stage @param {Route} route @returns {Promise<string>} file of paths */
async function pathsOf(stage, route) {
  if (route !== 'list') {
    return writePaths(stage, { count: hotIds, tails: [routes[route]], name: `hot-${route}` });
  }
  const file = path.join(stage.dir, 'hot-list.paths');
  const pages = Array.from({ length: hotIds }, (_, index) => `/products?page=${index + 1}&count=5`);
  fs.writeFileSync(file, `${pages.join('\n')}\n`);
  return file;
}

/** @param {Contestant} worker @param {string} paths @returns {Promise<Map<string, Buffer>>} path → body */
async function bodiesOf(worker, paths) {
  const bodies = new Map();
  for (const target of fs.readFileSync(paths, 'utf8').trimEnd().split('\n')) {
    const response = await fetch(`http://127.0.0.1:${worker.port}${target}`);
    if (!response.ok) throw new Error(`${target} answers ${response.status}`);
    bodies.set(target, Buffer.from(await response.arrayBuffer()));
  }
  return bodies;
}

/**
 * The same bodies as files of the same nginx: what the cache in front of us is measured against.
 * @param {string} dir @param {Map<string, Buffer>} bodies
 * @returns {Promise<{ server: Contestant, paths: string }>}
 */
async function startStatic(dir, bodies) {
  const files = path.join(dir, 'static');
  fs.rmSync(files, { recursive: true, force: true });
  fs.mkdirSync(files, { recursive: true });
  const names = [...bodies.values()].map((body, index) => {
    fs.writeFileSync(path.join(files, `${index}.json`), body);
    return `/${index}.json`;
  });
  const paths = path.join(dir, 'static.paths');
  fs.writeFileSync(paths, `${names.join('\n')}\n`);
  const port = await freePort();
  const config = path.join(dir, 'static.conf');
  fs.writeFileSync(
    config,
    `daemon off; user root; worker_processes 1; pid "${dir}/static.pid"; error_log "${dir}/static.log";
     events { worker_connections 1024; }
     http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; open_file_cache max=4000;
       types { application/json json; }
       server { listen 127.0.0.1:${port}; root "${files}"; } }`,
  );
  const command = [binaries().nginx, '-p', dir, '-c', config];
  return { server: await start(command, { port, log: path.join(dir, 'static.log') }), paths };
}

/** @param {string} dir @param {Contestant} worker */
async function startOurNginx(dir, worker) {
  const port = await freePort();
  const work = path.join(dir, 'nginx');
  fs.mkdirSync(work, { recursive: true });
  const config = path.join(dir, 'nginx.conf');
  const workers = [`127.0.0.1:${worker.port}`];
  fs.writeFileSync(
    config,
    renderNginx({ port, workers, work, logs: dir, openFiles, user: 'root' }),
  );
  const command = [binaries().nginx, '-p', dir, '-c', config];
  return start(command, { port, log: path.join(dir, 'nginx.log') });
}

/**
 * @param {Stage} stage @param {Route} route
 * @param {{ rounds: number, seconds: number, say: (line: string) => void }} options
 */
async function measureRoute(stage, route, { rounds, seconds, say }) {
  const { dir } = stage;
  const log = path.join(dir, 'bench.log');
  const paths = await pathsOf(stage, route);
  const worker = await startWorker({ dsn: stage.postgres.dsn('api'), log });
  const bodies = await bodiesOf(worker, paths);
  const sizes = [...bodies.values()].sort((a, b) => a.length - b.length);
  const typical = path.join(dir, 'typical.json');
  fs.writeFileSync(typical, sizes[sizes.length >> 1]);
  const fixed = await startStatic(dir, bodies);
  const servers = {
    'nginx, static files': { server: fixed.server, paths: fixed.paths },
    'through nginx': { server: await startOurNginx(dir, worker), paths },
    'node:http, constant': { server: await startConstant('http', typical, log), paths },
    'Express, constant': { server: await startConstant('express', typical, log), paths },
    'one worker': { server: worker, paths },
  };
  try {
    const results = await interleave(
      Object.fromEntries(
        Object.entries(servers).map(([name, { server, paths: asked }]) => [
          name,
          () => wrk({ port: server.port, paths: asked, seconds }),
        ]),
      ),
      rounds,
      (name, round) => say(`hot ${route}: ${name}, round ${round} of ${rounds}`),
    );
    return Object.fromEntries(
      Object.entries(results).map(([name, runs]) => [
        name,
        {
          rps: median(runs.map(({ rps }) => rps)),
          p99Ms: median(runs.map(({ p99Ms }) => p99Ms)),
          errors: runs.reduce((sum, { errors }) => sum + errors, 0),
        },
      ]),
    );
  } finally {
    await Promise.all(Object.values(servers).map(({ server }) => server.stop()));
  }
}

/**
 * Replies from memory: 1,000 products asked in random order.
 * @param {{ products: number, rounds: number, seconds: number, say: (line: string) => void }} options
 * @returns {Promise<import('./report').Part>}
 */
async function hot({ products, ...options }) {
  const stage = await openStage(products);
  /** @type {import('./report').Part} */
  const part = { name: 'hot', rows: [], bars: [] };
  try {
    for (const route of /** @type {Route[]} */ (Object.keys(routes))) {
      const measured = await measureRoute(stage, route, options);
      for (const [what, result] of Object.entries(measured)) {
        part.rows.push({ route, what, ...result });
      }
      /** @param {string} a @param {string} b */
      const ratio = (a, b) => measured[a].rps / measured[b].rps;
      part.bars.push(
        {
          what: `${route}: through nginx / static files`,
          atLeast: bars.nginxOverStatic,
          is: ratio('through nginx', 'nginx, static files'),
        },
        {
          what: `${route}: one worker / Express constant`,
          atLeast: bars.workerOverExpress,
          is: ratio('one worker', 'Express, constant'),
        },
        {
          what: `${route}: one worker / node:http constant`,
          atLeast: bars.workerOverHttp,
          is: ratio('one worker', 'node:http, constant'),
        },
      );
    }
  } finally {
    await stage.close();
  }
  return part;
}

module.exports = { hot };
