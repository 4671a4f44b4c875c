'use strict';
const net = require('node:net');

/** How long bytes that ask for nothing more may leave a connection silent: the server waits for their rest. */
const silenceMs = 250;
const atOnce = 60;

/**
 * @param {import('./corpus').Case} one @param {number} port
 * @returns {Promise<string>} all that came back, as latin1
 */
function sendOne({ bytes, cut }, port) {
  return new Promise((resolve) => {
    /** @type {Buffer[]} */
    const chunks = [];
    const socket = net.connect({ host: '127.0.0.1', port, noDelay: true }, () => {
      if (cut) socket.write(bytes, () => socket.resetAndDestroy());
      else socket.write(bytes);
    });
    socket.setTimeout(silenceMs, () => socket.destroy());
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

/**
 * @param {import('./corpus').Case[]} cases
 * @param {number} port
 * @param {(one: import('./corpus').Case, reply: string) => void} judge
 */
async function sendAll(cases, port, judge) {
  const rest = cases.values();
  const lane = async () => {
    for (const one of rest) judge(one, await sendOne(one, port));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

module.exports = { sendAll };
