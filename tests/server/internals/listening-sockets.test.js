'use strict';

const { once } = require('node:events');
const http = require('node:http');
const net = require('node:net');

const { createListeningSockets } = require('../../../server/http/listener/listening-sockets');
const { keepIdleConnections } = require('../../../server/internals/node/connections');
const { serveCatalog, until } = require('../../helpers/app');
const { request } = require('../../helpers/http');
const { loopbacks } = require('../../helpers/servers');

const callers = 64;

/** @param {number} port @param {number} [count] */
function connect(port, count = callers) {
  return Array.from({ length: count }, () => {
    const client = net.connect(port, '127.0.0.1').resume(); // a client that does not read sees no end
    return client.on('error', () => {}); // reset: it is closed
  });
}

describe('listening sockets of one port', () => {
  const server = http.createServer();
  keepIdleConnections(server); // as in http-server.js: Node 26 closes connections that have sent nothing yet
  const sockets = createListeningSockets(server);
  /** @type {number} */
  let port;
  beforeAll(async () => {
    await sockets.open(0, '127.0.0.1');
    port = /** @type {net.AddressInfo} */ (server.address()).port;
  });

  test('accept several connections in one turn of the event loop', async () => {
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

  test('another server cannot listen on the port', async () => {
    const taken = { code: 'EADDRINUSE' };
    await expect(createListeningSockets(http.createServer()).open(port, '127.0.0.1')).rejects.toMatchObject(taken);
  });

  test('close waits for the last connection of any socket', async () => {
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

describe('the host localhost', () => {
  afterEach(() => jest.restoreAllMocks());

  /** @param {string} host @param {number} port */
  const statusAt = async (host, port) =>
    (await request(`http://${net.isIPv6(host) ? `[${host}]` : host}:${port}`)).status;

  /** @param {(port: number, sockets: ReturnType<typeof createListeningSockets>) => Promise<void>} work */
  async function withServer(work) {
    const server = http.createServer((_req, res) => void res.end());
    const sockets = createListeningSockets(server);
    await sockets.open(0, 'localhost');
    await work(/** @type {net.AddressInfo} */ (server.address()).port, sockets).finally(sockets.close);
  }

  test('is both loopback addresses, and neither after close', async () => {
    let port = 0;
    await withServer(async (its) => {
      port = its;
      for (const host of loopbacks) expect(await statusAt(host, port)).toBe(200);
    });
    for (const host of loopbacks) await expect(statusAt(host, port)).rejects.toThrow('ECONNREFUSED');
  });

  test('is refused when either loopback address is taken', async () => {
    for (const host of loopbacks) {
      const holder = net.createServer().listen(0, host);
      await once(holder, 'listening');
      const { port } = /** @type {net.AddressInfo} */ (holder.address());
      const taken = { code: 'EADDRINUSE', address: host };
      await expect(createListeningSockets(http.createServer()).open(port, 'localhost')).rejects.toMatchObject(taken);
      holder.close();
    }
  });

  test.each(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])('is 127.0.0.1 alone on a machine without IPv6 (%s)', async (code) => {
    const { listen } = net.Server.prototype;
    jest.spyOn(net.Server.prototype, 'listen').mockImplementation(function (/** @type {any} */ ...words) {
      // @ts-expect-error a mock has the `this` of what it replaces
      const self = /** @type {net.Server} */ (this);
      if (words[0].host !== '::1') return Reflect.apply(listen, self, words);
      process.nextTick(() => self.emit('error', Object.assign(new Error(code), { code })));
      return self;
    });
    await withServer(async (port) => expect(await statusAt('127.0.0.1', port)).toBe(200));
  });
});

describe('a worker with as many connections as it may have', () => {
  const served = serveCatalog(undefined, { HTTP_MAX_CONNECTIONS: 20 });

  test('closes further ones, and accepts others when some have ended', async () => {
    const port = Number(new URL(served.app.url).port);
    const clients = connect(port);
    const open = () => clients.filter((client) => !client.closed);
    await until(() => open().length === 20);
    open()[0].destroy();
    await until(async () => (await request(served.app.url, { path: '/products/1' }).catch(() => null))?.status === 200);
    clients.forEach((client) => client.destroy());
  });
});
