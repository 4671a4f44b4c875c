'use strict';
const http = require('node:http');
const net = require('node:net');

/**
 * Sends one request exactly as given: fetch would normalise the path and accept gzip. It uses a new connection, unless an agent
 * is given.
 * @typedef {{ path?: string, method?: string, headers?: Record<string, string>, localAddress?: string, socketPath?: string, body?: string, agent?: http.Agent }} Options
 * @param {string} url @param {Options} [options]
 * @returns {Promise<{ status: number, headers: http.IncomingHttpHeaders, body: string }>}
 */
function request(url, options) {
  return new Promise((resolve, reject) => {
    const call = http.request(url, { agent: false, ...options }, (response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const body = Buffer.concat(chunks).toString('latin1');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
    });
    call.on('error', reject);
    call.end(options?.body);
  });
}

/**
 * The same for a reply in JSON: `text` as UTF-8, and what it says.
 * @param {string} url @param {string} path @param {Record<string, string>} [own] headers
 * @returns {Promise<{ status: number, headers: Record<string, any>, text: string, body: any }>}
 */
async function requestJson(url, path, own) {
  const { status, headers, body } = await request(url, { path, headers: own });
  const text = Buffer.from(body, 'latin1').toString();
  return { status, headers, text, body: JSON.parse(text) };
}

/**
 * Sends bytes that no HTTP client would send.
 * @param {number} port @param {string} bytes
 * @returns {Promise<string>} what the server sent before it closed
 */
function sendBytes(port, bytes) {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (data) => (text += data));
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

/**
 * Requests one path repeatedly until `stop` is called.
 * @param {string} url @param {Options} [options]
 * @returns {{ stop: () => Promise<{ asked: number, failed: string[], bodies: Set<string> }> }}
 */
function askConstantly(url, options) {
  let stopping = false;
  /** @type {{ asked: number, failed: string[], bodies: Set<string> }} */
  const seen = { asked: 0, failed: [], bodies: new Set() };
  const lane = async () => {
    while (!stopping) {
      const { status, body } = await request(url, options).catch((error) => ({
        status: 0,
        body: error.message,
      }));
      seen.asked += 1;
      if (status === 200) seen.bodies.add(body);
      else seen.failed.push(`${status} ${body}`);
    }
  };
  const lanes = Promise.all(Array.from({ length: 4 }, lane));
  return {
    stop: async () => {
      stopping = true;
      await lanes;
      return seen;
    },
  };
}

module.exports = { request, requestJson, sendBytes, askConstantly };
