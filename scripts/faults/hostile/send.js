'use strict';
const net = require('node:net');

/** How long bytes that may ask for more leave a connection silent: the server waits for their rest. */
const silenceMs = 250;
/** Of a complete request: beyond every timeout of nginx and of a worker (15 s), so that what they say last is seen. */
const patienceMs = 16_000;
const atOnce = 60;

/**
 * @typedef {object} Answer
 * @property {string} reply all that came back, as latin1
 * @property {boolean} silent we had to end the connection
 */

/**
 * @param {import('./corpus').Case} one @param {number} port
 * @returns {Promise<Answer>}
 */
function sendOne({ bytes, cut, complete }, port) {
  return new Promise((resolve) => {
    /** @type {Buffer[]} */
    const chunks = [];
    let silent = false;
    const socket = net.connect({ host: '127.0.0.1', port, noDelay: true }, () => {
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
 * @param {number} port
 * @param {(one: import('./corpus').Case, answer: Answer) => void} judge
 */
async function sendAll(cases, port, judge) {
  const rest = cases.values();
  const lane = async () => {
    for (const one of rest) judge(one, await sendOne(one, port));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

module.exports = { sendAll };
