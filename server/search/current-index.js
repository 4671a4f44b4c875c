'use strict';

const { Follower } = require('./delta/follower');
const { OtherLoad, SearchIndex } = require('./index/search-index');
const { Pace } = require('./turn-queue');

/** @typedef {{ version: string, follower: Promise<Follower>, ready: Follower | null }} Held `ready`: once it is read */

/** The index of a data version. It is read at the first search, and follows from then on what is written. */
class HeldIndex {
  #reader;
  #maxBytes;
  #maxWrittenBytes;
  #turns;
  /** @type {Held | null} */
  #held = null;

  /**
   * @param {import('./index/search-index').Reader & import('./delta/follower').WrittenReader} reader
   * @param {{ maxBytes: number, maxWrittenBytes: number, turns: import('./turn-queue').Turns }} options
   */
  constructor(reader, { maxBytes, maxWrittenBytes, turns }) {
    this.#reader = reader;
    this.#maxBytes = maxBytes;
    this.#maxWrittenBytes = maxWrittenBytes;
    this.#turns = turns;
  }

  /** @param {string} version @returns {Held} */
  of(version) {
    if (this.#held?.version !== version) {
      /** @type {Held} */
      const held = { version, follower: this.#read(version), ready: null };
      this.#held = held;
      held.follower.then(
        (ready) => (held.ready = ready),
        () => this.drop(held),
      );
    }
    return this.#held;
  }

  /** It is read again at the next search. @param {Held} held */
  drop(held) {
    if (this.#held === held) this.#held = null;
  }

  /** The same, when the caller has met rows of another load. @param {number} loadId of the index */
  async forget(loadId) {
    const held = this.#held;
    if (held && (await held.follower).state.index.loadId === loadId) this.drop(held);
  }

  /** The last commit that searches of a version see; 0 before the first one. @param {string} version */
  seqOf(version) {
    const state = this.#held?.version === version ? this.#held.ready?.state : null;
    return Math.max(0, state?.seq ?? 0);
  }

  /** Whether searches of a version have begun. @param {string} version */
  holds(version) {
    return this.#held?.version === version;
  }

  /** What was written since the load, as far as searches see it. @returns {{ seq: number, isFull: boolean, bytes: number, products: number }} */
  get written() {
    const ready = this.#held?.ready;
    if (!ready) return { seq: 0, isFull: false, bytes: 0, products: 0 };
    return { seq: ready.state.seq, isFull: ready.isFull, ...ready.size };
  }

  /** Whether searches have begun, so that what is written later can be seen. */
  get isFollowing() {
    return Boolean(this.#held?.ready);
  }

  /** Resolves once searches of a version have begun, or cannot. @param {string} version */
  async begun(version) {
    await this.of(version).follower.catch(() => {}); // The search that follows gets the error.
  }

  /** Makes searches see what was written. What was written before the first search is read with the index. */
  async follow() {
    const held = this.#held;
    try {
      await held?.ready?.advance();
    } catch (error) {
      if (!held || !(error instanceof OtherLoad)) throw error;
      this.drop(held);
    }
  }

  /** @param {string} version */
  async #read(version) {
    const pace = new Pace(this.#turns);
    const index = await SearchIndex.read(this.#reader, { version, maxBytes: this.#maxBytes, pace });
    const follower = new Follower(index, { reader: this.#reader, version, maxBytes: this.#maxWrittenBytes, pace });
    await follower.advance();
    return follower;
  }
}

exports.HeldIndex = HeldIndex;
