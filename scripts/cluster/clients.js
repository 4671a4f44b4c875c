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

/**
 * One connection for each pause from 3 s to the longest: asks, is silent, asks again on it. A connection that the
 * server closed meanwhile is opened anew, as every client does.
 * @param {string} address @param {number} longestS
 */
async function idle(address, longestS) {
  const pauses = Array.from({ length: 4 * (longestS - 2) }, (_, index) => 3 + index / 4);
  const codes = await Promise.all(
    pauses.map(async (seconds, index) => {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      const path = `/products/${index + 1}`;
      const first = await status({ host: address, path, agent });
      await sleep(seconds * 1000);
      return [first, await status({ host: address, path, agent })];
    }),
  );
  const all = codes.flat();
  const failed = all.filter((code) => code !== 200 && code !== 404).length;
  return {
    connections: pauses.length,
    sent: all.length,
    failed,
    bad502: all.filter((code) => code === 502).length,
  };
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
