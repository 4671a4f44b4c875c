'use strict';

const { once } = require('node:events');
const net = require('node:net');

const { serveCatalog, until } = require('../helpers/app');
const { manyProducts } = require('../helpers/database');
const { sendBytes } = require('../helpers/http');

/** @param {string} url */
const port = (url) => Number(new URL(url).port);

/** Of the worker, which runs in this process, and of its clients. */
const socketsOfThisProcess = () =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

describe('bytes that no browser sends', () => {
  const served = serveCatalog(manyProducts(5), { HTTP_HEADERS_TIMEOUT_MS: 1000 });

  test('a client that sends half a header and never closes does not keep its connection', async () => {
    const before = socketsOfThisProcess();
    const socket = net.connect({
      port: port(served.app.url),
      host: '127.0.0.1',
      allowHalfOpen: true,
    });
    await until(() => socketsOfThisProcess() === before + 2);
    socket.resume().write('GET /products HTTP/1.1\r\nHost: half');
    await once(socket, 'end');
    await until(() => socketsOfThisProcess() === before + 1);
    expect(socket.closed).toBe(false);
    socket.destroy();
  });

  test('bytes that are no HTTP, and headers without end, get a problem and not a crash', async () => {
    expect(await sendBytes(port(served.app.url), 'nonsense\r\n\r\n')).toContain(
      'urn:catalog:problem:malformed-request',
    );
    const long = `GET /products HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`;
    expect(await sendBytes(port(served.app.url), long)).toContain(
      'urn:catalog:problem:headers-too-large',
    );
    expect((await fetch(`${served.app.url}/products`)).status).toBe(200);
  });

  test('a path that is no URL does the admin listener no harm', async () => {
    expect(
      await sendBytes(
        port(served.app.adminUrl),
        'GET // HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      ),
    ).toMatch(/^HTTP\/1.1 404 /);
    expect((await fetch(`${served.app.adminUrl}/livez`)).status).toBe(200);
  });
});
