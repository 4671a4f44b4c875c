'use strict';
const net = require('node:net');

const headEnd = Buffer.from('\r\n\r\n');

/**
 * @typedef {object} Reply
 * @property {number} status
 * @property {string} head with its status line
 * @property {Buffer} body
 */

/**
 * One keep-alive connection that asks one thing at a time and reads replies with a Content-Length, which all of ours
 * have. node:http would cost five times as much for each request: at an overload the generator must not be the one
 * that breaks.
 */
class Connection {
  /** @type {Buffer[]} */
  #chunks = [];
  #bytes = 0;
  #wantedBytes = 0;
  #head = '';
  /** @type {((reply: Reply | null) => void) | null} */
  #done = null;
  #socket;
  /** Whether it has answered before: only then may a close without a byte be the server letting go of an idle one. */
  reused = false;
  closed = false;
  /** Whether its caller waited no longer. */
  timedOut = false;

  /** @param {net.NetConnectOpts} target */
  constructor(target) {
    this.#socket = net.connect({ noDelay: true, ...target });
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.closed = true;
      this.#finish(null);
    });
  }

  /**
   * @param {string | Buffer} request all of it
   * @param {(reply: Reply | null) => void} done null: the connection ended before the reply did
   */
  ask(request, done) {
    this.#done = done;
    this.#socket.write(request);
  }

  destroy() {
    this.#socket.destroy();
  }

  giveUp() {
    this.timedOut = true;
    this.destroy();
  }

  /** Whether an end without reply may be a server that let go of an idle connection, and says nothing of the request. */
  get endedIdle() {
    return this.reused && !this.timedOut && this.#bytes === 0 && this.#head === '';
  }

  /** @param {Buffer} chunk */
  #read(chunk) {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (!this.#head && !this.#readHead()) return;
    if (this.#bytes < this.#wantedBytes) return;
    const body = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    const head = this.#head;
    if (/\r\nconnection: close/i.test(head)) this.destroy();
    this.#finish({ status: Number(head.slice(9, 12)), head, body });
  }

  #readHead() {
    const all = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    const end = all.indexOf(headEnd);
    if (end < 0) return false;
    this.#head = all.toString('latin1', 0, end);
    this.#wantedBytes = Number(/\r\ncontent-length: (\d+)/i.exec(this.#head)?.[1] ?? 0);
    this.#chunks = [all.subarray(end + headEnd.length)];
    this.#bytes = all.length - end - headEnd.length;
    return true;
  }

  /** @param {Reply | null} reply */
  #finish(reply) {
    const done = this.#done;
    this.#done = null;
    done?.(reply);
    this.#chunks = [];
    this.#bytes = 0;
    this.#head = '';
    if (reply) this.reused = true;
  }
}

exports.Connection = Connection;
