'use strict';

const { Problem, overloaded } = require('../../errors');
const { toProblem } = require('./transaction');

/** @typedef {import('../content/judge').Write} Write @typedef {import('./write-group').Reply} Reply */
/** @typedef {{ write: Write, resolve: (reply: Reply) => void, reject: (error: unknown) => void }} Waiting */

const MAX_GROUP = 64;
/** Of bodies: products of thousands of rows in one transaction would take longer than a statement may. */
const MAX_GROUP_BYTES = 256 * 1024;
/** Two writers met: deadlock_detected, or unique_violation of a product that both bring back. The second try finds what the other did. */
const MET = /^(40P01|23505)$/;

/**
 * Gathers writes while a transaction is under way, as PostgreSQL does with commits: one write alone does not wait, and many share a flush
 * of the disk.
 */
class WriteQueue {
  /** @type {Waiting[]} */
  #waiting = [];
  #running = false;
  #write;
  #maxWaiting;

  /**
   * @param {object} parts
   * @param {(writes: Write[]) => Promise<(Reply | Error)[]>} parts.write one transaction
   * @param {number} parts.maxWaiting
   */
  constructor({ write, maxWaiting }) {
    this.#write = write;
    this.#maxWaiting = maxWaiting;
  }

  get waiting() {
    return this.#waiting.length;
  }

  /** @param {Write} write @returns {Promise<Reply>} after its commit @throws {Problem} */
  add(write) {
    if (this.#waiting.length >= this.#maxWaiting) throw overloaded('Too many writes are waiting.');
    const { promise, resolve, reject } = Promise.withResolvers();
    this.#waiting.push({ write, resolve, reject });
    if (!this.#running) this.#runAll();
    return promise;
  }

  async #runAll() {
    this.#running = true;
    while (this.#waiting.length > 0) await this.#run(this.#take());
    this.#running = false;
  }

  /**
   * The next group: a product at most once, since the second write needs the ETag of the first, and a deletion alone, since it also
   * writes other products.
   */
  #take() {
    /** @type {[Waiting[], Waiting[]]} */
    const [taken, left] = [[], []];
    const ids = new Set();
    let bytes = 0;
    for (const each of this.#waiting) {
      const { id, kind, size } = each.write;
      const isMore = taken.length > 0;
      const isAlone = kind === 'delete' || taken[0]?.write.kind === 'delete';
      const isFull = taken.length === MAX_GROUP || bytes + size > MAX_GROUP_BYTES;
      if (isMore && (isAlone || isFull || ids.has(id))) left.push(each);
      else {
        taken.push(each);
        bytes += size;
      }
      if (id !== null) ids.add(id);
    }
    this.#waiting = left;
    return taken;
  }

  /** @param {Waiting[]} group @param {boolean} [again] whether it is the second try @returns {Promise<void>} */
  async #run(group, again = false) {
    try {
      const replies = await this.#write(group.map(({ write }) => write));
      for (const [index, { resolve, reject }] of group.entries()) {
        const reply = replies[index];
        if (reply instanceof Error) reject(reply);
        else resolve(reply);
      }
    } catch (cause) {
      if (!again && MET.test(/** @type {any} */ (cause).code)) return this.#run(group, true);
      const error = toProblem(cause);
      // An unexpected error is of one write: the halves find it, and the others are done.
      if (error instanceof Problem || group.length === 1) for (const { reject } of group) reject(error);
      else {
        const half = Math.ceil(group.length / 2);
        await this.#run(group.slice(0, half));
        await this.#run(group.slice(half));
      }
    }
  }
}

exports.MAX_GROUP = MAX_GROUP;
exports.WriteQueue = WriteQueue;
