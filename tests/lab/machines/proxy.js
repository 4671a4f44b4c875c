'use strict';
const http = require('node:http');
const net = require('node:net');

/*
 * Connects a network without a gateway: `node proxy.js serve SOCKET` is a proxy for HTTP and CONNECT on a Unix socket, which is
 * outside network namespaces; `node proxy.js door SOCKET ADDRESS PORT`, run inside, forwards to it.
 */

/** @param {net.Socket | import('node:stream').Duplex} near @param {net.Socket} far */
function join(near, far) {
  near.on('error', () => far.destroy());
  far.on('error', () => near.destroy());
  near.pipe(far).pipe(near);
}

/** @type {http.RequestListener} */
function fetchFor(request, response) {
  const { url = '', method, headers } = request;
  const onward = http.request(url, { method, headers }, (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}

const modes = {
  /** @param {string} socket */
  serve: (socket) =>
    http
      .createServer(fetchFor)
      .on('connect', (request, near, head) => {
        const { hostname, port } = new URL(`http://${request.url}`);
        const far = net.connect(Number(port || 443), hostname, () => {
          near.write('HTTP/1.1 200 Connected\r\n\r\n');
          far.write(head);
        });
        join(near, far);
      })
      .listen(socket),
  /** @param {string} socket @param {string} address @param {string} port */
  door: (socket, address, port) =>
    net.createServer((near) => join(near, net.connect(socket))).listen(Number(port), address),
};

const [mode, socket, address, port] = process.argv.slice(2);
modes[/** @type {keyof typeof modes} */ (mode)](socket, address, port);
