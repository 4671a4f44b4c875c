'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { idsOf, openDataset, pathsFile, randomPaths } = require('./dataset');
const { bodyOf, memoryTarget, rowsOf, rpsOf, wrk } = require('./measure');
const { startConstant, startFront, startStatic, startWorker } = require('./own-servers');
/** @import { Dataset } from './dataset' */
/** @import { Options, Part } from './report' */
/** @import { Server } from './own-servers' */

const hotIds = 1000;
const limits = { nginxOverStatic: 0.7, workerOverHttp: 0.65 };

/** Ends of paths behind `/products/:id`; the hot set of lists is their first pages. */
const routes = { list: '', product: '', styles: '/styles', related: '/related' };
/** @typedef {keyof typeof routes} Route */

/** @param {Dataset} dataset @param {number[]} ids @param {Route} route @returns {string} file of paths */
function pathsOf(dataset, ids, route) {
  if (route !== 'list') return randomPaths(dataset, ids, { count: hotIds, tail: routes[route], name: `hot-${route}` });
  const pages = Array.from({ length: hotIds }, (_, index) => `/products?page=${index + 1}&count=5`);
  return pathsFile(dataset.dir, 'hot-list', pages);
}

/** @param {Server} worker @param {string} paths @returns {Promise<string[]>} */
async function bodiesOf(worker, paths) {
  const bodies = [];
  for (const target of fs.readFileSync(paths, 'utf8').trimEnd().split('\n')) bodies.push(await bodyOf(worker, target));
  return bodies;
}

/**
 * @param {Dataset} dataset @param {Route} route @param {string} paths a file @param {Omit<Options, 'products'>} options
 */
async function measureRoute(dataset, route, paths, options) {
  const worker = await startWorker(dataset);
  const bodies = await bodiesOf(worker, paths);
  const typical = path.join(dataset.dir, 'typical.json');
  fs.writeFileSync(typical, bodies.toSorted((a, b) => a.length - b.length)[bodies.length >> 1]);
  /** @type {Record<string, { server: Server, paths: string }>} */
  const servers = {
    'nginx, static files': await startStatic(dataset.dir, bodies),
    'through nginx': { server: await startFront(dataset, [worker]), paths },
    'node:http, constant': { server: await startConstant(typical, dataset), paths },
    'one worker': { server: worker, paths },
  };
  const measurements = Object.entries(servers).map(([name, { server, paths: own }]) => {
    const measure = async () => {
      // nginx caches a reply from the eighth request on, and forgets it after ten seconds: the turns of the others are longer.
      await wrk({ port: server.port, paths: own, seconds: 1 });
      return wrk({ port: server.port, paths: own, seconds: options.seconds });
    };
    return [name, measure];
  });
  const rows = await rowsOf(route, Object.fromEntries(measurements), options);
  const memory = memoryTarget([worker], { route });
  await Promise.all(Object.values(servers).map(({ server }) => server.stop()));
  return { rows, memory };
}

/** Replies from memory: 1,000 products in random order. @param {Options} options @returns {Promise<Part>} */
async function hot({ products, ...options }) {
  const dataset = await openDataset(products);
  const ids = await idsOf(dataset);
  /** @type {Part} */
  const part = { rows: [], targets: [] };
  for (const route of /** @type {Route[]} */ (Object.keys(routes))) {
    const { rows, memory } = await measureRoute(dataset, route, pathsOf(dataset, ids, route), options);
    part.rows.push(...rows);
    const rps = rpsOf(rows);
    /** @param {string} a @param {string} b @param {number} atLeast */
    const ratio = (a, b, atLeast) => part.targets.push({ what: `${a} / ${b}`, route, atLeast, is: rps(a) / rps(b) });
    ratio('through nginx', 'nginx, static files', limits.nginxOverStatic);
    ratio('one worker', 'node:http, constant', limits.workerOverHttp);
    part.targets.push(memory);
  }
  return part;
}

module.exports = { hot };
