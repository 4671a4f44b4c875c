'use strict';
const http = require('node:http');

const { atLeast, atMost } = require('../checks');
const { residentMb } = require('../../lib/proc');
const { createProxy } = require('../proxy');
const { underLoad, unnoticed } = require('../scenario');
const { counterOf } = require('../worker-probe');

/** @typedef {import('../rig').Rig} Rig */
/** @typedef {Awaited<ReturnType<typeof createProxy>>} Proxy */

/** As many as the worker traces at all: up to its limit of traced requests a second. */
const traced = { TRACE_RATIO: '1' };

/** An OTLP collector that takes everything. */
async function startCollector() {
  const server = http.createServer((request, response) => {
    request.resume();
    request.on('end', () => response.end('{}'));
  });
  await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port, close };
}

/** @type {[how: string, misbehave: (proxy: Proxy) => void][]} */
const troubles = [
  ['refuses', (proxy) => proxy.refuse()],
  ['is silent', (proxy) => proxy.hold(true)],
  ['is slow', (proxy) => proxy.set({ delayMs: 2000 })], // above the exporter's own patience
];

/** @param {Rig} rig */
async function collectorFails(rig) {
  const collector = await startCollector();
  const proxy = await createProxy({ host: '127.0.0.1', port: collector.port });
  const worker = await rig.startStandaloneWorker({
    ...traced,
    OTLP_TRACES_URL: `http://127.0.0.1:${proxy.port}/v1/traces`,
  });
  const spans = (/** @type {string} */ outcome) =>
    counterOf([worker.port + 1], `catalog_trace_spans_total{outcome="${outcome}"}`);
  const order = { target: { host: '127.0.0.1', port: worker.port } };
  /** @type {import('../checks').Check[]} */
  const checks = [];
  try {
    await underLoad(rig, { inject: () => {}, heal: () => {}, seconds: 1, order }); // a new worker is slow at first
    for (const [how, misbehave] of troubles) {
      const lost = await spans('lost');
      const course = await underLoad(rig, {
        inject: () => misbehave(proxy),
        heal: () => proxy.heal(),
        order,
      });
      const counted = atLeast('spans lost, and counted', (await spans('lost')) - lost, 1);
      // A short trouble ends before the exporter's patience with a silent collector does: nothing is lost then.
      const noticed = rig.scale < 1 ? unnoticed(course) : [...unnoticed(course), counted];
      checks.push(...noticed.map((check) => ({ ...check, what: `${how}: ${check.what}` })));
    }
    return [
      ...checks,
      atLeast('spans that the collector took in better times', await spans('sent'), 1),
      atMost('memory of the worker at the end', residentMb(worker.pid), 150, ' MB'),
    ];
  } finally {
    await worker.stop();
    await proxy.close();
    collector.close();
  }
}

/** @type {import('../run').Fault[]} */
const telemetryFaults = [
  {
    id: 'N12',
    title: 'Collector of traces fails',
    done: 'one worker traces as much as it may; its collector refuses, is silent, then takes two seconds for each packet, 10 s each',
    run: collectorFails,
  },
];

module.exports = { telemetryFaults };
