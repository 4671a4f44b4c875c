'use strict';

const { once } = require('node:events');
const net = require('node:net');

/**
 * libuv (since 1.45) accepts one connection of each listening socket in a turn of the event loop, and long replies make turns long. With one
 * socket callers waited for seconds in the kernel's queue; nginx gave them up, and their connections were accepted all
 * the same (fault P4 of scripts/faults: 0.3 to 8.5 s, queues of up to 512; with 4 or 16 sockets 0.3 to 0.6 s, queues of up to 14 and 9).
 */
const SOCKETS = 8;

/**
 * Several listening sockets on one port; the kernel gives each a share of the connections.
 * @param {import('node:http').Server} server
 * @returns {{ open: (port: number, host: string) => Promise<void>, close: () => Promise<unknown> }}
 */
function createListeningSockets(server) {
  // With the options that node:http gives its own; a connection emitted on it counts as its own, by its documentation.
  const others = Array.from({ length: SOCKETS - 1 }, () =>
    net.createServer({ allowHalfOpen: true, noDelay: true }, (socket) => void server.emit('connection', socket)),
  );
  const all = [server, ...others];
  return {
    /** @throws when the port is taken */
    async open(port, host) {
      const free = await freePort(port, host);
      for (const each of all) await once(each.listen({ port: free, host, reusePort: true }), 'listening');
    },
    /** Ends when the last connection has. */
    close: () => Promise.all(all.map((each) => new Promise((resolve) => void each.close(resolve)))),
  };
}

/**
 * Sockets that share a port share it with any process of the user: a second worker would take half of our callers
 * without a word.
 * @param {number} port 0: any @param {string} host
 */
async function freePort(port, host) {
  const alone = net.createServer();
  await once(alone.listen(port, host), 'listening');
  const address = /** @type {net.AddressInfo} */ (alone.address());
  await new Promise((resolve) => void alone.close(resolve));
  return address.port;
}

exports.createListeningSockets = createListeningSockets;
