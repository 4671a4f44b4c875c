'use strict';
const http = require('node:http');

/**
 * Makes a false body from the correct one; `ask` returns the JSON of any path of the service behind.
 * @typedef {(body: any, wanted: { id: number, url: URL }, ask: (path: string) => Promise<any>) => any} Lie
 */

/** @param {URL} url @returns {string} */
function routeOf({ pathname }) {
  const [, first, id, tail] = pathname.split('/');
  if (first === 'ucp') return id === 'mcp' ? 'mcp' : 'ucp';
  if (first === 'feeds') return 'feed';
  return tail ?? (id ? 'product' : first);
}

/** Users of a test of k6 send this, unlike its setup and its runner. @param {http.IncomingMessage} request */
const isOfUser = ({ headers }) => headers['accept-encoding'] === 'gzip';

/**
 * A proxy before a service that always answers some routes with wrong content. The body of an export is a text, that of the head of a feed its type.
 * `lied` has the number of bodies that it changed for the users of k6: a lie may leave one as it is.
 * @param {string} target @param {Record<string, Lie>} lies by route
 */
async function startLyingProxy(target, lies) {
  const ask = async (/** @type {string} */ path) => (await fetch(target + path)).json();
  const lied = Object.fromEntries(Object.keys(lies).map((route) => [route, 0]));
  const server = http.createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', target);
    const route = routeOf(url);
    const lie = lies[route];
    const { method } = request;
    const body = method === 'POST' ? Buffer.concat(await request.toArray()) : undefined;
    const reply = await fetch(url, { method, body });
    const text = await reply.text();
    const type = reply.headers.get('content-type') ?? '';
    const isHead = method === 'HEAD' && route in lies;
    if (isHead) lied[route] += 1;
    response.writeHead(reply.status, { 'Content-Type': isHead ? await lie(type, { id: 0, url }, ask) : type });
    if (!lie || isHead || reply.status !== 200) return void response.end(text);
    const id = Number(url.pathname.split('/')[2]);
    const isLines = url.pathname === '/export';
    const other = await lie(isLines ? text : JSON.parse(text), { id, url }, ask);
    const told = isLines ? other : JSON.stringify(other);
    lied[route] += Number(told !== text && isOfUser(request));
    response.end(told);
  });
  await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, lied, close: () => server.close().closeAllConnections() };
}

module.exports = { startLyingProxy };
