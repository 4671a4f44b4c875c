'use strict';
const net = require('node:net');
const tls = require('node:tls');

/** @import { Case } from './corpus' */
/** @typedef {(connected: () => void) => net.Socket} Connect */

/** The wait for a complete request: beyond every timeout of nginx and of a worker (15 s). */
const patienceMs = 16_000;
const atOnce = 60;

/** @param {number} port @returns {Connect} */
const plainly = (port) => (connected) => net.connect({ host: '127.0.0.1', port, noDelay: true }, connected);

/** By HTTP/2, with any certificate. @param {number} port @returns {Connect} */
const byHttp2 = (port) => (connected) =>
  tls.connect({ host: '127.0.0.1', port, ALPNProtocols: ['h2'], rejectUnauthorized: false }, connected);

/**
 * @param {Case} one @param {Connect} connect @param {number} silenceMs
 * @returns {Promise<Case & { reply: string, silent: boolean }>} `silent`: we had to end the connection
 */
const sendOne = (one, connect, silenceMs) =>
  new Promise((resolve) => {
    let [reply, silent] = ['', false];
    const socket = connect(() => socket.write(one.bytes, () => one.cut && socket.resetAndDestroy()));
    socket.setTimeout(one.complete ? patienceMs : silenceMs, () => {
      silent = true;
      socket.destroy();
    });
    socket.setEncoding('latin1').on('data', (text) => (reply += text));
    socket.on('error', () => {});
    socket.on('close', () => resolve({ ...one, reply, silent }));
  });

/** @param {Case[]} cases @param {Connect} connect @param {number} silenceMs for which the rest of an incomplete reply is awaited */
async function sendAll(cases, connect, silenceMs) {
  const rest = cases.values();
  /** @type {Awaited<ReturnType<typeof sendOne>>[]} */
  const answers = [];
  const lane = async () => {
    for (const one of rest) answers.push(await sendOne(one, connect, silenceMs));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return answers;
}

module.exports = { byHttp2, plainly, sendAll };
