'use strict';
const http = require('node:http');

/**
 * Makes a false body from the correct one; `ask` returns the JSON of any path of the service behind.
 * @typedef {(body: any, wanted: { id: number, url: URL }, ask: (path: string) => Promise<any>) => any} Lie
 */

/** @param {URL} url @returns {string} */
function routeOf({ pathname }) {
  const [, first, id, tail] = pathname.split('/');
  return tail ?? (id ? 'product' : first);
}

/**
 * A proxy before a service that always answers some routes with wrong content. The body of an export is a text.
 * @param {string} target @param {Record<string, Lie>} lies by route
 */
async function startLyingProxy(target, lies) {
  const ask = async (/** @type {string} */ path) => (await fetch(target + path)).json();
  const server = http.createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', target);
    const lie = lies[routeOf(url)];
    const reply = await fetch(url);
    const text = await reply.text();
    response.statusCode = reply.status;
    if (!lie || reply.status !== 200) return void response.end(text);
    const id = Number(url.pathname.split('/')[2]);
    const isLines = url.pathname === '/export';
    const body = await lie(isLines ? text : JSON.parse(text), { id, url }, ask);
    response.end(isLines ? body : JSON.stringify(body));
  });
  await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, close: () => server.close().closeAllConnections() };
}

module.exports = { startLyingProxy };
