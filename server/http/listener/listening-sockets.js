'use strict';

const { once } = require('node:events');
const net = require('node:net');

/**
 * libuv (since 1.45) accepts one connection of each listening socket in a turn of the event loop, and long replies make turns
 * long. With one socket, connections waited in the kernel's queue until nginx gave them up.
 */
const SOCKETS = 8;
/** Errors of the IPv6 loopback on a machine without IPv6, or with IPv6 switched off. */
const NO_IPV6 = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/**
 * Several listening sockets on one port; the kernel gives each a share of the connections.
 * @param {import('node:http').Server} server @param {number} [count]
 * @returns {{ open: (port: number, host: string) => Promise<void>, close: () => Promise<unknown> }}
 */
function createListeningSockets(server, count = SOCKETS) {
  // With the options that node:http gives its own; a connection emitted on it counts as its own, by its documentation.
  const another = () =>
    net.createServer({ allowHalfOpen: true, noDelay: true }, (socket) => void server.emit('connection', socket));
  const all = [server, ...Array.from({ length: count - 1 }, another)];
  const onIpv6 = another();
  return {
    /** `localhost` is both loopbacks; no name is looked up. @throws when the port is taken on one of them */
    async open(port, host) {
      const address = host === 'localhost' ? '127.0.0.1' : host;
      const free = await freePort(port, address);
      if (host === 'localhost') await listenOnIpv6(onIpv6, free);
      for (const each of all) await once(each.listen({ port: free, host: address, reusePort: true }), 'listening');
    },
    /** Ends when the last connection has. */
    close: () => Promise.all([...all, onIpv6].map((each) => new Promise((resolve) => void each.close(resolve)))),
  };
}

/** @param {net.Server} server @param {number} port */
async function listenOnIpv6(server, port) {
  await once(server.listen({ port, host: '::1' }), 'listening').catch((error) => {
    if (!NO_IPV6.includes(error.code)) throw error;
  });
}

/**
 * Sockets that share a port share it with any process of the user: a second worker would silently take half of the
 * connections.
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
