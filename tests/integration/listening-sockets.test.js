'use strict';

const { once } = require('node:events');
const http = require('node:http');
const net = require('node:net');

const { createListeningSockets } = require('../../server/web/listening-sockets');
const { serveCatalog, until } = require('../helpers/app');
const { request } = require('../helpers/http');

const callers = 64;

/** @param {number} port @param {number} [count] */
function connect(port, count = callers) {
  return Array.from({ length: count }, () => {
    const client = net.connect(port, '127.0.0.1').resume(); // who does not read learns of no end
    return client.on('error', () => {}); // reset: it is closed
  });
}

describe('listening sockets of one port', () => {
  const server = http.createServer();
  const sockets = createListeningSockets(server);
  /** @type {number} */
  let port;
  beforeAll(async () => {
    await sockets.open(0, '127.0.0.1');
    port = /** @type {net.AddressInfo} */ (server.address()).port;
  });

  test('several callers are taken in one turn of the event loop', async () => {
    /** @type {number[]} */
    const perTurn = [0];
    let turning = true;
    (function turn() {
      perTurn.push(0);
      if (turning) setImmediate(turn);
    })();
    let taken = 0;
    server.on('connection', () => {
      taken += 1;
      perTurn[perTurn.length - 1] += 1;
    });
    const clients = connect(port);
    await until(() => taken === callers);
    turning = false;
    expect(Math.max(...perTurn)).toBeGreaterThan(1);
    clients.forEach((client) => client.destroy());
  });

  test('another server does not get the port', async () => {
    const taken = { code: 'EADDRINUSE' };
    await expect(createListeningSockets(http.createServer()).open(port, '127.0.0.1')).rejects.toMatchObject(taken);
  });

  test('close waits for the last connection, whichever socket took it', async () => {
    let taken = 0;
    server.on('connection', () => (taken += 1));
    const clients = connect(port);
    await until(() => taken === callers);
    let closed = false;
    const closing = sockets.close().then(() => (closed = true));
    for (const client of clients) {
      expect(closed).toBe(false);
      client.destroy();
      await once(client, 'close');
    }
    await closing;
    await expect(once(net.connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
  });
});

describe('a worker with as many connections as it may have', () => {
  const served = serveCatalog(undefined, { HTTP_MAX_CONNECTIONS: 20 });

  test('closes those above, and takes others when some have gone', async () => {
    const port = Number(new URL(served.app.url).port);
    const clients = connect(port);
    const open = () => clients.filter((client) => !client.closed);
    await until(() => open().length === 20);
    open()[0].destroy();
    await until(async () => (await request(served.app.url, { path: '/products/1' }).catch(() => null))?.status === 200);
    clients.forEach((client) => client.destroy());
  });
});
