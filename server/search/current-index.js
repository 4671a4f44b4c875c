'use strict';

const { Follower } = require('./delta/follower');
const { OtherLoad, SearchIndex } = require('./index/search-index');
const { Turn } = require('./query-context');

/** @typedef {{ version: string, follower: Promise<Follower>, ready: Follower | null }} Current `ready`: once it is read */

/** The index of a data version. It is read at the first search, and follows from then on what is written. */
class CurrentIndex {
  #reader;
  #maxBytes;
  #maxWrittenBytes;
  #turns;
  /** @type {Current | null} */
  #current = null;

  /**
   * @param {import('./index/search-index').Reader & import('./delta/follower').WrittenReader} reader
   * @param {{ maxBytes: number, maxWrittenBytes: number, turns: import('./query-context').TurnQueue }} options
   */
  constructor(reader, { maxBytes, maxWrittenBytes, turns }) {
    this.#reader = reader;
    this.#maxBytes = maxBytes;
    this.#maxWrittenBytes = maxWrittenBytes;
    this.#turns = turns;
  }

  /** @param {string} version @returns {Current} */
  of(version) {
    if (this.#current?.version !== version) {
      /** @type {Current} */
      const current = { version, follower: this.#read(version), ready: null };
      this.#current = current;
      current.follower.then(
        (ready) => (current.ready = ready),
        () => this.drop(current),
      );
    }
    return this.#current;
  }

  /** It is read again at the next search. @param {Current} current */
  drop(current) {
    if (this.#current === current) this.#current = null;
  }

  /** The same, when the caller has met rows of another load. @param {number} loadId of the index */
  async forget(loadId) {
    const current = this.#current;
    if (current && (await current.follower).state.index.loadId === loadId) this.drop(current);
  }

  /** The last commit that searches of a version see; 0 before the first one. @param {string} version */
  seqOf(version) {
    const state = this.#current?.version === version ? this.#current.ready?.state : null;
    return Math.max(0, state?.seq ?? 0);
  }

  /** Names the state that searches of a version see, as a part of cache keys. @param {string} version */
  stateOf(version) {
    const state = this.#current?.version === version ? this.#current.ready?.state : null;
    const seq = this.seqOf(version);
    return state && state.goneSeq > seq ? `${seq}-${state.goneSeq}` : `${seq}`;
  }

  /** Searches of a version have begun. @param {string} version */
  holds(version) {
    return this.#current?.version === version;
  }

  /** Writes since the load, as far as searches see them. @returns {{ seq: number, isFull: boolean, bytes: number, products: number }} */
  get written() {
    const ready = this.#current?.ready;
    if (!ready) return { seq: 0, isFull: false, bytes: 0, products: 0 };
    return { seq: ready.state.seq, isFull: ready.isFull, ...ready.size };
  }

  /** Searches have begun, so they will see later writes. */
  get isFollowing() {
    return Boolean(this.#current?.ready);
  }

  /** Resolves once searches of a version have begun, or cannot. @param {string} version */
  async begun(version) {
    await this.of(version).follower.catch(() => {}); // The search that follows gets the error.
  }

  /** Makes searches see what was written. What was written before the first search is read with the index. */
  async follow() {
    const current = this.#current;
    try {
      await current?.ready?.advance();
    } catch (error) {
      if (!current || !(error instanceof OtherLoad)) throw error;
      this.drop(current);
    }
  }

  /** @param {string} version */
  async #read(version) {
    const turn = new Turn(this.#turns);
    const index = await SearchIndex.read(this.#reader, { version, maxBytes: this.#maxBytes, turn });
    const follower = new Follower(index, { reader: this.#reader, version, maxBytes: this.#maxWrittenBytes, turn });
    await follower.advance();
    return follower;
  }
}

exports.CurrentIndex = CurrentIndex;
