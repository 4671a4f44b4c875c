'use strict';
const http = require('node:http');
const http2 = require('node:http2');
const { setTimeout: sleep } = require('node:timers/promises');

/*
 * Clients that a load generator has not: `node clients.js poison|idle|http2 ADDRESS [numbers]`; prints one line of JSON.
 */

/** Requests that make a worker drop the connection. @param {string} address @param {number} count */
async function poison(address, count) {
  const statuses = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      status({ host: address, path: `/products/${2e9 + index}`, headers: { 'x-poison': '1' } }),
    ),
  );
  return { sent: count, unanswered: statuses.filter((code) => code === 503).length };
}

/** @param {http.RequestOptions} options @returns {Promise<number>} 0 when nothing answered */
function status(options) {
  return new Promise((resolve) => {
    http
      .get(options, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      })
      .on('error', () => resolve(0));
  });
}

/** Around the 5 s that Node keeps an idle connection by default, the 60 s of nginx to a worker and the 65 s to a client. */
const pausesS = [3, 4.9, 5, 5.1, 59.9, 60, 60.1, 70];
const idleConnections = 50;

/**
 * All connections ask at once and are silent together: so many of nginx to the workers are open and silent as well, where one after the
 * other would have the same one used again and again. By POST, since nginx sends a GET anew when a worker has just let go of its
 * connection; /products, since it gives only that one to a worker. A connection to us that nginx closed meanwhile is opened anew, as
 * every client does.
 * @param {string} address @param {number} longestS
 */
async function idle(address, longestS) {
  const agents = Array.from({ length: idleConnections }, () => new http.Agent({ keepAlive: true, maxSockets: 1 }));
  const askAll = () =>
    Promise.all(agents.map((agent) => status({ host: address, path: '/products', method: 'POST', agent })));
  const codes = await askAll();
  for (const seconds of pausesS.filter((each) => each <= longestS)) {
    await sleep(seconds * 1000);
    codes.push(...(await askAll()));
  }
  return { connections: agents.length, sent: codes.length, failed: codes.filter((code) => code !== 405).length };
}

/**
 * @param {string} address @param {number} connections @param {number} requests of each @param {number} atOnce
 */
async function viaHttp2(address, connections, requests, atOnce) {
  const count = { sent: 0, failed: 0 };
  /** @param {http2.ClientHttp2Session} session @param {number} id */
  const ask = (session, id) =>
    new Promise((resolve) => {
      count.sent += 1;
      let code = 0;
      const stream = session.request({ ':path': `/products/${id}` });
      stream.on('response', (headers) => (code = Number(headers[':status'])));
      stream.on('error', () => {});
      stream.resume();
      stream.on('close', () => {
        if (code !== 200 || stream.rstCode !== 0) count.failed += 1;
        resolve(null);
      });
      stream.end();
    });
  const one = async () => {
    // The certificate is the cluster's own and nobody has signed it.
    const session = http2.connect(`https://${address}`, { rejectUnauthorized: false });
    session.on('error', () => {});
    let left = requests;
    const lane = async () => {
      while (left > 0) {
        left -= 1;
        await ask(session, 1 + (left % 12));
      }
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, requests) }, lane));
    session.close();
  };
  await Promise.all(Array.from({ length: connections }, one));
  return count;
}

async function main() {
  const [kind, address, ...numbers] = process.argv.slice(2);
  const [a, b, c] = numbers.map(Number);
  const results = {
    poison: () => poison(address, a),
    idle: () => idle(address, a),
    http2: () => viaHttp2(address, a, b, c),
  };
  console.log(JSON.stringify(await results[/** @type {keyof typeof results} */ (kind)]()));
}

main();
