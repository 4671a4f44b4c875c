'use strict';
const { once } = require('node:events');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { apps } = require('../../ecosystem.config');
const { makeCertificate } = require('../lib/certificate');
const { root } = require('../lib/runtime');
const { noCacheBytes } = require('./cold');
const { freePort, start } = require('./contestants');
const { startCollector } = require('./peers/new-relic');
const { openStage, writePaths } = require('./stage');
const { interleave, median } = require('./statistics');
const { wrk } = require('./wrk');
/** @import { Stage } from './stage' */
/** @import { Contestant } from './contestants' */

/** What may be lost to looking: of the requests, and of their p99. */
const bars = { requests: 0.95, p99: 1.05, memory: 1.1 };
/** Of each of two workers that are measured at once. */
const connections = 16;
/** Fifteen times as often as scripts/monitoring/prometheus.yml. */
const scrapeEveryMs = 1000;
const hotIds = 1000;
const coldIds = 200_000;

/** @typedef {Record<string, Contestant & { adminPort: number }>} Workers */

/** @returns {Promise<net.Server>} a collector that takes what is sent and never answers */
async function startDeafCollector() {
  const server = net.createServer((socket) => socket.on('error', () => {}).resume());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** @param {net.Server} server */
const portOf = (server) => /** @type {net.AddressInfo} */ (server.address()).port;

/**
 * The same worker, looked at more and more closely.
 * @param {Stage} stage @param {NodeJS.ProcessEnv} settings
 */
async function startWorkers({ dir, postgres }, settings) {
  const log = path.join(dir, 'bench.log');
  const deaf = await startDeafCollector();
  const certificate = makeCertificate(dir);
  const collector = certificate && (await startCollector(certificate));
  const own = path.join(root, 'server/index.js');
  const blind = path.join(__dirname, 'peers/blind.js');
  const tracing = { OTLP_TRACES_URL: `http://127.0.0.1:${portOf(deaf)}/v1/traces` };
  /** @type {Workers} */
  const workers = {};
  const add = async (
    /** @type {string} */ name,
    /** @type {string} */ script,
    /** @type {NodeJS.ProcessEnv} */ more,
  ) => {
    const [port, adminPort] = [await freePort(), await freePort()];
    const ports = { PORT: String(port), ADMIN_PORT: String(adminPort) };
    // The log goes to a file, as PM2 has it.
    const env = { DATABASE_URL: postgres.dsn('api'), ...ports, ...settings, ...more };
    const command = [process.execPath, ...apps[0].node_args, script];
    workers[name] = { ...(await start(command, { port, env, log })), adminPort };
  };
  await add('blind', blind, { ACCESS_LOG_RATIO: '0' });
  await add('metrics and log', own, {});
  await add('all eyes, dead collector', own, tracing);
  if (collector && certificate) {
    await add('New Relic', own, {
      NEW_RELIC_LICENSE_KEY: 'x'.repeat(40),
      NEW_RELIC_HOST: '127.0.0.1',
      NEW_RELIC_PORT: String(collector.port),
      NODE_EXTRA_CA_CERTS: certificate.certFile,
    });
  }
  return {
    workers,
    async stop() {
      await Promise.all(Object.values(workers).map((worker) => worker.stop()));
      deaf.close();
      collector?.close();
    },
  };
}

/** @param {number} pid @returns {number} resident MB */
const residentMb = (pid) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/**
 * Measures while Prometheus would scrape.
 * @param {Contestant & { adminPort: number }} worker @param {string} paths @param {number} seconds
 */
async function measure({ port, pid, adminPort }, paths, seconds) {
  const scrape = () => fetch(`http://127.0.0.1:${adminPort}/metrics`).then((reply) => reply.text());
  const timer = setInterval(() => void scrape(), scrapeEveryMs);
  try {
    return { ...(await wrk({ port, paths, seconds, connections })), memoryMb: residentMb(pid) };
  } finally {
    clearInterval(timer);
  }
}

/** @typedef {Awaited<ReturnType<typeof measure>>} Measured */
/** @typedef {{ seeing: Measured, blind: Measured }} Pair */

/** @param {string} route @param {string} what @param {Measured[]} runs */
const rowOf = (route, what, runs) => ({
  ...{ route, what, memoryMb: runs[runs.length - 1].memoryMb },
  rps: median(runs.map(({ rps }) => rps)),
  p99Ms: median(runs.map(({ p99Ms }) => p99Ms)),
  errors: runs.reduce((sum, { errors }) => sum + errors, 0),
});

/**
 * @param {'hot' | 'cold'} route @param {Record<string, Pair[]>} results
 * @returns {{ rows: import('./bars').Row[], bars: import('./bars').Bar[] }}
 */
function judge(route, results) {
  const rows = Object.entries(results).flatMap(([what, pairs]) => [
    rowOf(
      route,
      `blind, beside: ${what}`,
      pairs.map(({ blind }) => blind),
    ),
    rowOf(
      route,
      what,
      pairs.map(({ seeing }) => seeing),
    ),
  ]);
  const all = 'all eyes, dead collector';
  const ratio = (/** @type {'rps' | 'p99Ms'} */ figure) =>
    median(results[all].map(({ seeing, blind }) => seeing[figure] / blind[figure]));
  // The first round fills caches and pools.
  const [, second, ...later] = results[all].map(({ seeing }) => seeing.memoryMb);
  return {
    rows,
    bars: [
      { what: `${route}: requests/s, ${all} / blind`, atLeast: bars.requests, is: ratio('rps') },
      { what: `${route}: p99, ${all} / blind`, atMost: bars.p99, is: ratio('p99Ms') },
      {
        what: `${route}: memory, last round / second, ${all}`,
        atMost: bars.memory,
        is: (later.at(-1) ?? NaN) / second,
      },
    ],
  };
}

/**
 * What looking costs: a worker with metrics and log, one with traces to a collector that never answers, one with the New
 * Relic agent; each beside one that nobody counts, both at once on one core. One after the other, two workers that are
 * alike differed by 10 %: the machine changes its speed within a second.
 * @param {{ products: number, rounds: number, seconds: number, say: (line: string) => void }} options
 * @returns {Promise<import('./bars').Part>}
 */
async function eyes({ products, rounds, seconds, say }) {
  const stage = await openStage(products);
  /** @type {import('./bars').Part} */
  const part = { name: 'eyes', rows: [], bars: [] };
  const modes = /** @type {const} */ ({
    hot: { count: Math.min(hotIds, products), settings: {} },
    cold: { count: Math.min(coldIds, products), settings: { L1_MAX_BYTES: String(noCacheBytes) } },
  });
  try {
    for (const route of /** @type {const} */ (['hot', 'cold'])) {
      const { count, settings } = modes[route];
      const paths = await writePaths(stage, { count, tails: ['/styles'], name: `eyes-${route}` });
      const { workers, stop } = await startWorkers(stage, settings);
      try {
        const { blind, ...seeing } = workers;
        const both = async (/** @type {Contestant & { adminPort: number }} */ worker) => {
          const pair = [worker, blind].map((one) => measure(one, paths, seconds));
          const [own, beside] = await Promise.all(pair);
          return { seeing: own, blind: beside };
        };
        const contestants = Object.fromEntries(
          Object.entries(seeing).map(([name, worker]) => [name, () => both(worker)]),
        );
        await interleave(contestants, 1, (name) => say(`eyes ${route}: warming up ${name}`));
        const results = await interleave(contestants, 2 * rounds, (name, round) =>
          say(`eyes ${route}: ${name}, round ${round} of ${2 * rounds}`),
        );
        const judged = judge(route, results);
        part.rows.push(...judged.rows);
        part.bars.push(...judged.bars);
      } finally {
        await stop();
      }
    }
  } finally {
    await stage.close();
  }
  return part;
}

module.exports = { eyes };
