'use strict';
const net = require('node:net');
const tls = require('node:tls');

/** Of a request that may be incomplete: the server waits for its rest. */
const usualSilenceMs = 250;
/** Of a complete request: beyond every timeout of nginx and of a worker (15 s). */
const patienceMs = 16_000;
const atOnce = 60;

/**
 * @typedef {object} Answer
 * @property {string} reply all that came back, as latin1
 * @property {boolean} silent we had to end the connection
 */

/** @typedef {(connected: () => void) => net.Socket} Connect */

/** @param {number} port @returns {Connect} */
const plainly = (port) => (connected) => net.connect({ host: '127.0.0.1', port, noDelay: true }, connected);

/** By HTTP/2, with any certificate. @param {number} port @returns {Connect} */
const byHttp2 = (port) => (connected) =>
  tls.connect({ host: '127.0.0.1', port, ALPNProtocols: ['h2'], rejectUnauthorized: false }, connected);

/**
 * @param {import('./corpus').Case} one @param {Connect} connect @param {number} silenceMs
 * @returns {Promise<Answer>}
 */
function sendOne({ bytes, cut, complete }, connect, silenceMs) {
  return new Promise((resolve) => {
    /** @type {Buffer[]} */
    const chunks = [];
    let silent = false;
    const socket = connect(() => {
      if (cut) socket.write(bytes, () => socket.resetAndDestroy());
      else socket.write(bytes);
    });
    socket.setTimeout(complete ? patienceMs : silenceMs, () => {
      silent = true;
      socket.destroy();
    });
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('close', () => resolve({ reply: Buffer.concat(chunks).toString('latin1'), silent }));
  });
}

/**
 * @param {import('./corpus').Case[]} cases
 * @param {Connect} connect
 * @param {(one: import('./corpus').Case, answer: Answer) => void} judge
 * @param {number} [silenceMs]
 */
async function sendAll(cases, connect, judge, silenceMs = usualSilenceMs) {
  const rest = cases.values();
  const lane = async () => {
    for (const one of rest) judge(one, await sendOne(one, connect, silenceMs));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

module.exports = { byHttp2, plainly, sendAll };
