'use strict';
const path = require('node:path');

const { startNginx } = require('../../lib/nginx');
const { atMost, exactly } = require('../checks');
const { createProxy } = require('../proxy');
const { withLongLists } = require('../rig');
const { underLoad, wait, withoutExit } = require('../scenario');
const { nothingLost } = require('./workers');

/** @typedef {import('../rig').Rig} Rig */

const poisonRequests = 50;

/** @param {Rig} rig */
const reloaded = (rig) =>
  withoutExit(rig, async () =>
    nothingLost(
      await underLoad(rig, {
        inject: async () => {
          for (let round = 0; round < 10; round += 1) {
            rig.nginx.reload();
            await wait(rig, 1);
          }
        },
        heal: () => {},
        seconds: 1,
        order: withLongLists,
      }),
    ),
  );

/**
 * A request that costs its worker the connection, behind an nginx of its own: with nginx's default of max_fails=1 one
 * of them takes every worker out of service for 10 s.
 * @param {Rig} rig
 */
async function poisoned(rig) {
  const proxies = await Promise.all(rig.workerPorts.map((port) => createProxy({ host: '127.0.0.1', port })));
  proxies.forEach((proxy) => proxy.set({ dropOn: 'poison' }));
  const workers = proxies.map(({ port }) => `127.0.0.1:${port}`);
  const port = rig.port + 7;
  const nginx = await startNginx({ dir: path.join(rig.dir, 'poison'), port, workers });
  let refused = 0;
  try {
    const course = await underLoad(rig, {
      inject: async () => {
        for (let round = 0; round < poisonRequests; round += 1) {
          const reply = await fetch(`http://127.0.0.1:${port}/products/1?poison=${round}`);
          if (reply.status === 503) refused += 1;
          await reply.text();
        }
      },
      heal: () => {},
      seconds: 2,
      order: { target: { host: '127.0.0.1', port } },
    });
    return [
      ...nothingLost(course),
      exactly(`of ${poisonRequests} poison requests answered 503`, refused, poisonRequests),
      atMost('slowest other request', course.all.maxMs, 1000, ' ms'),
    ];
  } finally {
    await nginx.stop();
    await Promise.all(proxies.map((proxy) => proxy.close()));
  }
}

/** @type {import('../run').Fault[]} */
const nginxFaults = [
  {
    id: 'N3',
    title: 'Poison requests',
    done: '50 requests in a row, each of which costs every worker that it reaches the connection',
    run: poisoned,
  },
  {
    id: 'N7',
    title: 'nginx reloaded',
    done: 'nginx -s reload ten times under load',
    run: reloaded,
  },
];

module.exports = { nginxFaults };
