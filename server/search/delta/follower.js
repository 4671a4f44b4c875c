'use strict';

const { cursorText } = require('../../core/commit-cursor');
const { OtherLoad } = require('../index/search-index');
const { Delta } = require('./delta');

/** Products that are read at a time: parsing their replies is one turn of the event loop. */
const PIECE = 100;
/** So many rows are added to the delta at a time. */
const BATCH = 500;
/** Writes since a load may take so much: some 11,000 products with another price or other sizes in stock, or some thousand new ones. */
const MAX_WRITTEN_BYTES = 4 * 1024 * 1024;
/** A full delta is read again after so many times as long as that took: a twentieth of the time at most. */
const FULL_PAUSES = 20;
/** The commit before the first: reads all writes since the load. */
const ALL = -1;

/** @typedef {import('./writes').Row} Row */
/**
 * @typedef {object} Written one state of the tables
 * @property {number | null} loadId @property {number} era @property {number} seq of the last commit
 * @property {number[]} since ids of the products that were written after the commit that the read named
 * @property {Row[]} rows of the products that the read named, and of the first ones of `since`
 */
/**
 * @typedef {object} WrittenReader
 * @property {(version: string, after: number, ids: number[], limit: number) => Promise<Written | null>} written what was written after a
 *   commit, -1: since the load; null: this load cannot be written to
 * @property {(version: string, after: number) => Promise<{ loadId: number | null, era: number, seq: number, ids: number[] } | null>} gone
 *   products that are deleted or hidden; null: no commit is later
 * @property {(version: string, ids: number[], seq: number) => Promise<{ loadId: number | null, names: Map<number, string> }>} names of
 *   products, as they were at a commit or later
 */
/**
 * @typedef {object} State that a search works on
 * @property {import('../index/search-index').SearchIndex} index @property {string | null} cursor @property {number} seq of the last commit that it has
 * @property {number} goneSeq a later commit when it could not follow: products that were gone then are left out
 */

/** Makes the index of a load that of its last commit, again and again. A state is replaced whole. */
class Follower {
  /** @type {Delta} */
  #delta;
  #reader;
  #version;
  #maxBytes;
  #turn;
  #era = 0;
  /** @type {Promise<void> | null} */
  #running = null;
  #pausesUntilMs = -Infinity;
  /** The last commit of which products that are gone were read, and their ids. */
  #gone = { seq: ALL, ids: '' };
  /** The writes take more than they may: the state stays until they take less, or another load comes. */
  isFull = false;
  /** @type {State} */
  state;

  /**
   * @param {import('../index/search-index').SearchIndex} index of the load
   * @param {{ reader: WrittenReader, version: string, maxBytes: number, turn: import('../query-context').Turn }} options
   */
  constructor(index, { reader, version, maxBytes, turn }) {
    this.#delta = new Delta(index);
    this.#reader = reader;
    this.#version = version;
    this.#maxBytes = maxBytes;
    this.#turn = turn;
    this.state = { index, cursor: null, seq: ALL, goneSeq: ALL };
  }

  /** Bytes of the delta, and the products in it. */
  get size() {
    return { bytes: this.#delta.bytes, products: this.#delta.products };
  }

  /** Reads what was written since. One read at a time: a caller gets that which runs. @throws {OtherLoad} when the catalog was replaced */
  async advance() {
    this.#running ??= this.#advance().finally(() => (this.#running = null));
    return this.#running;
  }

  async #advance() {
    const beganMs = performance.now();
    if (beganMs < this.#pausesUntilMs) return this.#leaveOut();
    let delta = this.#delta;
    let { seq } = this.state;
    for (;;) {
      const added = await this.#add(delta, seq);
      if (!added) return;
      this.isFull = added.delta.bytes > this.#maxBytes;
      if (this.isFull) {
        const endedMs = performance.now();
        this.#pausesUntilMs = endedMs + FULL_PAUSES * (endedMs - beganMs);
        return this.#leaveOut();
      }
      ({ delta, seq } = added);
      /** @type {Set<number>} */
      const looked = new Set();
      const seqNow = seq;
      const named = await delta.named((ids) => this.#names(ids, seqNow, looked), this.#turn);
      // A name that was read may be newer than the state.
      const later = looked.size > 0 ? await this.#read(seq, []) : null;
      if (later?.since.some((id) => looked.has(id))) continue;
      this.#delta = named;
      this.state = { index: named.index, cursor: cursorText({ era: this.#era, seq }), seq, goneSeq: seq };
      this.#gone = { seq, ids: '' };
      return;
    }
  }

  /** A state that stays would show and count products that are gone: what is hidden is hidden at once, whatever else waits. */
  async #leaveOut() {
    const gone = await this.#reader.gone(this.#version, this.#gone.seq);
    await this.#turn.next();
    if (!gone) return;
    if (gone.loadId !== this.#delta.index.loadId || gone.era !== this.#era) throw new OtherLoad();
    const before = this.#gone.ids;
    this.#gone = { seq: gone.seq, ids: String(gone.ids) };
    // Other writes change nothing here, and cached replies stay.
    if (this.#gone.ids !== before)
      this.state = { ...this.state, index: this.#delta.without(gone.ids), goneSeq: gone.seq };
  }

  /**
   * Adds all products that were written after a commit, as they are at one later commit: what is written while they are read is read again.
   * On the way it may take what both commits take: whether it is too much is a question of the later commit alone, the same for all workers.
   * @param {Delta} delta @param {number} after
   */
  async #add(delta, after) {
    let seq = after;
    /** @type {Set<number>} */
    const wanted = new Set();
    /** @type {Map<number, Row>} */
    const rows = new Map();
    do {
      const read = await this.#read(seq, [...wanted].slice(0, PIECE));
      if (!read) return null;
      for (const id of read.since) wanted.add(id);
      for (const row of read.rows) {
        rows.set(row.id, row);
        wanted.delete(row.id);
      }
      ({ seq } = read);
      if (rows.size < BATCH && wanted.size > 0) continue;
      delta = await delta.with([...rows.values()], this.#turn);
      rows.clear();
    } while (wanted.size > 0 && delta.bytes <= 2 * this.#maxBytes);
    return { delta, seq };
  }

  /** @param {number} after @param {number[]} ids */
  async #read(after, ids) {
    const read = await this.#reader.written(this.#version, after, ids, PIECE);
    await this.#turn.next();
    if (!read) return null;
    const isFirst = after === ALL;
    if (read.loadId !== this.#delta.index.loadId || (!isFirst && (read.era !== this.#era || read.seq < after)))
      throw new OtherLoad();
    this.#era = read.era;
    return read;
  }

  /** @param {number[]} ids @param {number} seq @param {Set<number>} looked gets them */
  async #names(ids, seq, looked) {
    const { loadId, names } = await this.#reader.names(this.#version, ids, seq);
    await this.#turn.next();
    if (loadId !== this.#delta.index.loadId) throw new OtherLoad();
    for (const id of ids) looked.add(id);
    return names;
  }
}

exports.MAX_WRITTEN_BYTES = MAX_WRITTEN_BYTES;
exports.Follower = Follower;
