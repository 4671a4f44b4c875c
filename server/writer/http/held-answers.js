'use strict';

const { once } = require('node:events');

const { overloaded } = require('../../core/errors');

const BLOCK_BYTES = 2 ** 16;
/** Less than a connection may rest (STALLED_READER_SECONDS), so that its client still gets the reason. */
const PATIENCE_MS = 10_000;

/**
 * The part of a reply that its client has not read yet. Many clients send all of a long request before they read: they and the writer
 * would wait for each other. All replies together have a limit; at it, one waits until its client reads.
 */
class HeldAnswers {
  #res;
  #memory;
  #keyId;
  #left;
  #patienceMs;
  #open = '';
  /** @type {Buffer[]} */
  #blocks = [];
  #held = 0;
  #isSending = false;
  #sent = Promise.resolve();
  isGivenUp = false;

  /**
   * @param {import('node:http').ServerResponse} res
   * @param {{ memory: import('./limits').Share, keyId: string, left: AbortSignal, patienceMs?: number }} more left: of a client that has left
   */
  constructor(res, { memory, keyId, left, patienceMs = PATIENCE_MS }) {
    this.#res = res;
    this.#memory = memory;
    this.#keyId = keyId;
    this.#left = left;
    this.#patienceMs = patienceMs;
  }

  /**
   * @param {string} piece of the reply
   * @returns {Promise<import('../../core/errors').Problem | null>} 503: the client reads nothing. Then only one piece may follow
   */
  async add(piece) {
    this.#open += piece;
    if (!this.#isSending) this.#sent = this.#send().catch(() => {}); // the client has left
    while (this.#open.length >= BLOCK_BYTES && !this.isGivenUp && !this.#left.aborted && !this.#hold())
      this.isGivenUp = !(await this.#isRead());
    return this.isGivenUp
      ? overloaded('The reply is not read. Read it while you send, and send all again with the same Idempotency-Key.')
      : null;
  }

  /** Waits until the client has all. */
  async sent() {
    await this.#sent;
  }

  close() {
    this.#free(this.#held);
  }

  #hold() {
    const block = Buffer.from(this.#open);
    try {
      this.#memory.take(this.#keyId, block.length);
    } catch {
      return false;
    }
    this.#held += block.length;
    this.#blocks.push(block);
    this.#open = '';
    return true;
  }

  /** @param {number} bytes */
  #free(bytes) {
    if (bytes > 0) this.#memory.free(this.#keyId, bytes);
    this.#held -= bytes;
  }

  /** Waits until the client reads a block. */
  async #isRead() {
    const signal = AbortSignal.any([this.#left, AbortSignal.timeout(this.#patienceMs)]);
    return once(this.#res, 'drain', { signal }).then(
      () => true,
      () => this.#left.aborted,
    );
  }

  async #send() {
    this.#isSending = true;
    for (let next = this.#take(); next.length > 0; next = this.#take()) {
      if (!this.#res.write(next)) await once(this.#res, 'drain', { signal: this.#left });
      if (typeof next !== 'string') this.#free(next.length);
    }
    this.#isSending = false;
  }

  #take() {
    const block = this.#blocks.shift();
    if (block) return block;
    const open = this.#open;
    this.#open = '';
    return open;
  }
}

exports.HeldAnswers = HeldAnswers;
