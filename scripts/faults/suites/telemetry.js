'use strict';
const { once } = require('node:events');
const http = require('node:http');

const { residentMb } = require('../../lib/proc');
const { counterOf } = require('../../testbed/worker');
const { createProxy } = require('../../testbed/proxy');
const { blackHole, misbehaves } = require('../actions');
const { atLeast, atMost, prefixed } = require('../checks');
const { underLoad, unnoticed } = require('../scenario');

/** An OTLP collector that accepts everything. */
async function startCollector() {
  const server = http.createServer((request, response) => request.resume().on('end', () => response.end('{}')));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** @type {[how: string, of: (proxy: import('../../testbed/proxy').Proxy) => import('../scenario').Action][]} */
const troubles = [
  ['refuses', (proxy) => ({ inject: proxy.refuse, heal: proxy.heal })],
  ['unresponsive', blackHole],
  ['slow', (proxy) => misbehaves(proxy, { delayMs: 2000 })], // above the exporter's own patience
];

/** @type {import('../run').Runs} */
const runs = {
  async N12(rig) {
    const collector = await startCollector();
    const { port: collectorPort } = /** @type {import('node:net').AddressInfo} */ (collector.address());
    const proxy = await createProxy({ host: '127.0.0.1', port: collectorPort });
    const settings = { TRACE_RATIO: '1', OTLP_TRACES_URL: `http://127.0.0.1:${proxy.port}/v1/traces` };
    const checks = rig.withWorker(settings, async ({ port, pid, target }) => {
      const spans = (/** @type {string} */ outcome) =>
        counterOf([port + 1], `catalog_trace_spans_total{outcome="${outcome}"}`);
      const order = { target };
      const all = [];
      await underLoad(rig, { seconds: 1, order }); // a new worker is slow at first
      for (const [how, of] of troubles) {
        const lost = await spans('lost');
        const course = await underLoad(rig, { ...of(proxy), order });
        const counted = atLeast('spans lost, and counted', (await spans('lost')) - lost, 1);
        // A short run ends before the exporter gives up: nothing is lost then.
        all.push(...prefixed(how, rig.scale < 1 ? unnoticed(course) : [...unnoticed(course), counted]));
      }
      return [
        ...all,
        atLeast('spans that the collector accepted', await spans('sent'), 1),
        atMost('memory of the worker at the end', residentMb(pid), 150, ' MB'),
      ];
    });
    return checks.finally(async () => {
      await proxy.close();
      collector.closeAllConnections();
      collector.close();
    });
  },
};

module.exports = { runs };
