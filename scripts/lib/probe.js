'use strict';
const { once } = require('node:events');
const http = require('node:http');
const https = require('node:https');
const net = require('node:net');
const { text } = require('node:stream/consumers');
const { waitUntil } = require('./wait-until');

const requestTimeoutMs = 5000;

/**
 * A certificate is not checked: it names the public host, and this asks servers of ours by their address.
 * @param {string} url @param {http.Agent | false} [agent] default: a connection of its own
 * @returns {Promise<{ status: number, body: string }>} status 0 when nothing answered
 */
async function get(url, agent = false) {
  try {
    const protocol = url.startsWith('https:') ? https : http;
    const signal = AbortSignal.timeout(requestTimeoutMs);
    const request = protocol.get(url, { rejectUnauthorized: false, agent, signal });
    request.on('error', () => {}); // one after the response would end this process
    const [response] = await once(request, 'response');
    return { status: response.statusCode, body: await text(response) };
  } catch (error) {
    return { status: 0, body: /** @type {Error} */ (error).message };
  }
}

/**
 * Requests every route of a real product through the whole chain, until each answers.
 * @param {string} base `http://127.0.0.1:8080` @param {number} timeoutMs of each
 */
async function probeRoutes(base, timeoutMs) {
  const [first] = JSON.parse(await until200(`${base}/products?count=1`, timeoutMs));
  const paths = first ? ['', '/styles', '/related'].map((tail) => `/products/${first.id}${tail}`) : [];
  for (const path of paths) await until200(base + path, timeoutMs);
}

/** @param {string} url @param {number} timeoutMs @returns {Promise<string>} its body */
async function until200(url, timeoutMs) {
  let reply = { status: 0, body: '' };
  await waitUntil(async () => (reply = await get(url)).status === 200, timeoutMs);
  if (reply.status === 200) return reply.body;
  throw new Error(`${url} answers ${reply.status || 'nothing'}: ${reply.body.slice(0, 300)}`);
}

/**
 * @param {string} url of Redis: redis://host:port, rediss://host:port or unix:///path
 * @returns {Promise<boolean>} whether a server listens there
 */
async function listens(url) {
  const { protocol, hostname, port, pathname } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1'); // of an IPv6 address only the URL has brackets
  const target = protocol === 'unix:' ? { path: decodeURIComponent(pathname) } : { host, port: Number(port || 6379) };
  const socket = net.connect(target);
  const connected = once(socket, 'connect', { signal: AbortSignal.timeout(requestTimeoutMs) });
  const ok = await connected.then(Boolean, () => false);
  socket.destroy();
  return ok;
}

module.exports = { get, listens, probeRoutes };
