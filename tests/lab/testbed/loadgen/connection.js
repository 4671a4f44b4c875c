'use strict';
const net = require('node:net');

const headEnd = Buffer.from('\r\n\r\n');

/** @typedef {{ status: number, head: string, body: Buffer }} Reply `head` with its status line */

/**
 * One keep-alive connection that sends one request at a time and reads replies by their Content-Length. node:http costs
 * five times as much per request: under overload the generator must not be the part that breaks.
 */
class Connection {
  /** @type {Buffer[]} */
  #chunks = [];
  #bytes = 0;
  #wantedBytes = 0;
  #head = '';
  /** @type {((reply: Reply | null) => void) | null} */
  #done = null;
  #reused = false;
  #timedOut = false;
  #socket;
  opened = false;
  closed = false;

  /** @param {net.TcpNetConnectOpts} target */
  constructor(target) {
    this.#socket = net.connect({ noDelay: true, ...target });
    this.#socket.on('connect', () => (this.opened = true));
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.closed = true;
      this.#finish(null);
    });
  }

  /**
   * @param {string} request all of it
   * @param {(reply: Reply | null) => void} done null: the connection ended before the reply did
   */
  send(request, done) {
    this.#done = done;
    this.#socket.write(request, 'latin1');
  }

  destroy() {
    this.closed = true;
    this.#socket.destroy();
  }

  giveUp() {
    this.#timedOut = true;
    this.destroy();
  }

  /** Why there was no reply. */
  get problem() {
    if (this.#timedOut) return 'no reply in time';
    return this.opened ? 'the connection ended before the reply did' : 'no connection';
  }

  /** The end without a reply may be a server closing an idle connection, which says nothing about the request. */
  get endedIdle() {
    return this.#reused && !this.#timedOut && this.#bytes === 0 && this.#head === '';
  }

  /** @param {Buffer} chunk */
  #read(chunk) {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (!this.#head) this.#readHead();
    if (!this.#head || this.#bytes < this.#wantedBytes) return;
    if (/\r\nconnection: close/i.test(this.#head)) this.destroy();
    this.#finish({ status: Number(this.#head.slice(9, 12)), head: this.#head, body: Buffer.concat(this.#chunks) });
  }

  #readHead() {
    const all = Buffer.concat(this.#chunks);
    const end = all.indexOf(headEnd);
    if (end < 0) return;
    const head = all.toString('latin1', 0, end);
    const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
    if (length === undefined) return this.destroy(); // its end would be a guess
    this.#head = head;
    this.#wantedBytes = Number(length);
    this.#chunks = [all.subarray(end + headEnd.length)];
    this.#bytes = this.#chunks[0].length;
  }

  /** @param {Reply | null} reply */
  #finish(reply) {
    const done = this.#done;
    this.#done = null;
    if (reply) this.#reused = true;
    done?.(reply);
    if (!reply) return;
    this.#chunks = [];
    this.#bytes = 0;
    this.#head = '';
  }
}

exports.Connection = Connection;
