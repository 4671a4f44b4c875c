'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { startConstant, startWorker } = require('./contestants');
const { startBareCacheNginx, startOurNginx, startStaticNginx } = require('./nginxes');
const { openDataset, pathsFile, writePaths } = require('./dataset');
const { interleave } = require('./statistics');
const { memoryBar } = require('./resources');
const { rowOf, wrk } = require('./wrk');
/** @import { Contestant } from './contestants' */
/** @import { Dataset } from './dataset' */

const hotIds = 1000;
const bars = { nginxOverStatic: 0.7, workerOverExpress: 0.9, workerOverHttp: 0.65 };

/** What each route is asked; a list's hot set is its first pages. */
const routes = /** @type {const} */ ({
  list: '',
  product: '',
  styles: '/styles',
  related: '/related',
});
/** @typedef {keyof typeof routes} Route */

/** @param {Dataset} dataset @param {Route} route @returns {Promise<string>} file of paths */
async function pathsOf(dataset, route) {
  if (route !== 'list') {
    return writePaths(dataset, { count: hotIds, tails: [routes[route]], name: `hot-${route}` });
  }
  const pages = Array.from({ length: hotIds }, (_, index) => `/products?page=${index + 1}&count=5`);
  return pathsFile(dataset.dir, 'hot-list', pages);
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
  return { server: await startStaticNginx({ dir, files }), paths: pathsFile(dir, 'static', names) };
}

/**
 * @param {Dataset} dataset @param {Route} route
 * @param {{ rounds: number, seconds: number, say: (line: string) => void }} options
 */
async function measureRoute(dataset, route, { rounds, seconds, say }) {
  const { dir } = dataset;
  const log = path.join(dir, 'bench.log');
  const paths = await pathsOf(dataset, route);
  const worker = await startWorker({ dsn: dataset.postgres.dsn('api'), log });
  const bodies = await bodiesOf(worker, paths);
  const sizes = [...bodies.values()].sort((a, b) => a.length - b.length);
  const typical = path.join(dir, 'typical.json');
  fs.writeFileSync(typical, sizes[sizes.length >> 1]);
  const fixed = await startStatic(dir, bodies);
  const servers = {
    'nginx, static files': { server: fixed.server, paths: fixed.paths },
    'nginx, its cache alone': {
      server: await startBareCacheNginx({ dir, workers: [worker] }),
      paths,
    },
    'through nginx': { server: await startOurNginx({ dir, workers: [worker] }), paths },
    'node:http, constant': { server: await startConstant('http', typical, log), paths },
    'Express, constant': { server: await startConstant('express', typical, log), paths },
    'one worker': { server: worker, paths },
  };
  const results = await interleave(
    Object.fromEntries(
      Object.entries(servers).map(([name, { server, paths: asked }]) => [
        name,
        async () => {
          // What nobody asked for in ten seconds nginx keeps only from the eighth request on, and the others' turns are longer.
          await wrk({ port: server.port, paths: asked, seconds: 1 });
          return wrk({ port: server.port, paths: asked, seconds });
        },
      ]),
    ),
    rounds,
    (line) => say(`${route}: ${line}`),
  );
  const memory = memoryBar([worker], route);
  await Promise.all(Object.values(servers).map(({ server }) => server.stop()));
  const rows = Object.entries(results).map(([what, runs]) => rowOf(route, what, runs));
  return { rows, memory };
}

/**
 * Replies from memory: 1,000 products asked in random order.
 * @param {{ products: number, rounds: number, seconds: number, say: (line: string) => void }} options
 * @returns {Promise<import('./bars').Part>}
 */
async function hot({ products, ...options }) {
  const dataset = await openDataset(products);
  /** @type {import('./bars').Part} */
  const part = { name: 'hot', rows: [], bars: [] };
  for (const route of /** @type {Route[]} */ (Object.keys(routes))) {
    const { rows, memory } = await measureRoute(dataset, route, options);
    part.rows.push(...rows);
    const rps = (/** @type {string} */ name) => rows.find(({ what }) => what === name)?.rps ?? NaN;
    /** @param {string} a @param {string} b @param {number} atLeast */
    const ratio = (a, b, atLeast) => part.bars.push({ what: `${a} / ${b}`, route, atLeast, is: rps(a) / rps(b) });
    ratio('through nginx', 'nginx, static files', bars.nginxOverStatic);
    ratio('one worker', 'Express, constant', bars.workerOverExpress);
    ratio('one worker', 'node:http, constant', bars.workerOverHttp);
    part.bars.push(memory);
  }
  return part;
}

module.exports = { hot };
