'use strict';

const { once } = require('node:events');
const http = require('node:http');
const net = require('node:net');
const { buffer } = require('node:stream/consumers');

const { createEvents } = require('../../../server/core/events');
const { createClientErrorHandler } = require('../../../server/http/listener/client-error');

test('a broken body, or bytes after it, does not cut off a reply in progress', async () => {
  const body = Buffer.alloc(16 * 1024 * 1024); // more than the kernel buffers for a slow reader
  const server = http.createServer((_req, res) => void res.end(body));
  server.on('clientError', createClientErrorHandler([], createEvents()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  const client = net.connect(port, '127.0.0.1');
  // The reader has a second from the first error on; a stall of the machine must not look like a cut.
  jest.spyOn(global, 'setTimeout').mockReturnValue(/** @type {any} */ ({ unref() {} }));
  for (const bytes of ['GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n', 'more']) {
    const told = once(server, 'clientError');
    client.write(bytes);
    await told;
  }
  const reply = await buffer(client);
  jest.restoreAllMocks();
  server.close();
  expect(reply.length).toBeGreaterThan(body.length);
  expect(String(reply.subarray(0, 15))).toBe('HTTP/1.1 200 OK');
  expect(reply.lastIndexOf('HTTP/1.1')).toBe(0);
});
