'use strict';

const { Problem, overloaded } = require('../../core/errors');
const { NO_IDS, toProblem } = require('../database/transaction');
const { VISIBILITY_KINDS } = require('./write-visibility');

/** @typedef {import('./types').Write} Write @typedef {import('./types').Reply} Reply */
/** @typedef {{ write: Write, resolve: (reply: Reply) => void, reject: (error: unknown) => void }} Waiting */
/** @typedef {{ waiting: Waiting[] }} Lane writes in their order */

const MAX_GROUP = 64;
/** Each also writes the products that name it. */
const MAX_DELETIONS = 16;
/** Bytes of bodies: products of thousands of rows in one transaction would take longer than a statement may. */
const MAX_GROUP_BYTES = 256 * 1024;
/** Two writers met: deadlock_detected, or unique_violation of a key or of a product that both bring back. The next try finds what the other did. */
const MET = /^(40P01|23505)$/;
/** It may then meet another write. */
const MAX_TRIES = 4;

/** Writes that can be done together: a product at most once, since the second write needs the ETag of the first. */
class Group {
  /** @type {Waiting[]} */
  taken = [];
  #ids = new Set();
  #bytes = 0;

  /** @param {Waiting} waiting @returns {boolean} whether it is in; else no later write of its product is */
  take(waiting) {
    const { id, size } = waiting.write;
    const isIn = this.taken.length === 0 || (!this.#ids.has(id) && this.#hasRoom(waiting.write));
    if (id !== null) this.#ids.add(id);
    if (!isIn) return false;
    this.taken.push(waiting);
    this.#bytes += size;
    return true;
  }

  /** A deletion also writes other products, for its own key and reason. What hides or publishes is alone. @param {Write} write */
  #hasRoom({ kind, size, bulk }) {
    const [{ write: first }] = this.taken;
    if (VISIBILITY_KINDS.includes(kind) || VISIBILITY_KINDS.includes(first.kind)) return false;
    const isDeletion = kind === 'delete';
    if (isDeletion !== (first.kind === 'delete') || (isDeletion && (!bulk || bulk !== first.bulk))) return false;
    return this.taken.length < (isDeletion ? MAX_DELETIONS : MAX_GROUP) && this.#bytes + size <= MAX_GROUP_BYTES;
  }
}

/**
 * Gathers writes while a transaction is under way, as PostgreSQL does with commits: one write alone does not wait, and many share a flush
 * of the disk. Lines of bulk requests have a lane of their own: both fill each group, and take turns in being first. So a write waits for
 * one group more, however many lines there are.
 */
class WriteQueue {
  /** @type {Lane} */
  #single = { waiting: [] };
  /** @type {Lane} */
  #lines = { waiting: [] };
  #first = this.#single;
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
    return this.#single.waiting.length + this.#lines.waiting.length;
  }

  /** @param {Write} write @returns {Promise<Reply>} after its commit @throws {Problem} */
  add(write) {
    const { waiting } = write.bulk ? this.#lines : this.#single;
    if (!write.bulk && waiting.length >= this.#maxWaiting) throw overloaded('Too many writes are waiting.');
    const { promise, resolve, reject } = Promise.withResolvers();
    waiting.push({ write, resolve, reject });
    if (!this.#running) this.#runAll();
    return promise;
  }

  async #runAll() {
    this.#running = true;
    while (this.waiting > 0) await this.#run(this.#take());
    this.#running = false;
  }

  /** The next group. */
  #take() {
    const group = new Group();
    const second = this.#first === this.#single ? this.#lines : this.#single;
    for (const lane of [this.#first, second]) lane.waiting = lane.waiting.filter((each) => !group.take(each));
    this.#first = second;
    return group.taken;
  }

  /** @param {Waiting[]} group @param {number} [tries] that it has @returns {Promise<void>} */
  async #run(group, tries = MAX_TRIES) {
    try {
      const replies = await this.#write(group.map(({ write }) => write));
      for (const [index, { resolve, reject }] of group.entries()) {
        const reply = replies[index];
        if (reply instanceof Error) reject(reply);
        else resolve(reply);
      }
    } catch (cause) {
      if (tries > 1 && MET.test(/** @type {any} */ (cause).code)) return this.#run(group, tries - 1);
      const error = toProblem(cause);
      // An unexpected error, or a lack of ids, is of one write: the halves find it, and the others are done.
      const isOfAll = error instanceof Problem && /** @type {any} */ (cause).code !== NO_IDS;
      if (isOfAll || group.length === 1) for (const { reject } of group) reject(error);
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
