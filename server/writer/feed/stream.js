'use strict';

const { once } = require('node:events');

const { Problem } = require('../../core/errors');
const { cursorText } = require('../../core/commit-cursor');
const { STALLED_READER_SECONDS } = require('../../core/policy');

/** @typedef {import('../../core/commit-cursor').Cursor} Cursor @typedef {import('./log-reader').Head} Head */

const PIECE_CHANGES = 1000;
/** Proxies close a connection on which nothing is sent. */
const SIGN_OF_LIFE_MS = 15_000;
/** A key may be known for as long again, so a revoked one loses its stream within twice that. */
const KEY_CHECK_MS = 2000;
/** Until the database answers again. */
const RETRY_MS = 250;

/**
 * Changes as server-sent events. The next piece waits until the one before it has left, so a slow reader takes the memory of one. A reader
 * that takes nothing for a while loses its connection, and resumes.
 */
class Stream {
  #res;
  #feed;
  #place;
  #head;
  #isAllowed;
  #left = new AbortController();
  #sentMs = 0;
  #checkedMs = performance.now();

  /**
   * @param {import('node:http').ServerResponse} res whose head was written
   * @param {object} parts
   * @param {import('./feed').Feed} parts.feed
   * @param {Cursor} parts.place
   * @param {Head} parts.head
   * @param {(keptMs: number) => Promise<boolean>} parts.isAllowed whether the key may read, as it was known in that time
   */
  constructor(res, { feed, place, head, isAllowed }) {
    this.#res = res;
    this.#feed = feed;
    this.#place = place;
    this.#head = head;
    this.#isAllowed = isAllowed;
  }

  /** Ends when the reader leaves, its key is revoked, the log has another era, or the writer stops. */
  async run() {
    const leave = () => this.#left.abort();
    this.#res.once('close', leave).setTimeout(STALLED_READER_SECONDS * 1000);
    this.#feed.ended.addEventListener('abort', leave);
    if (this.#res.closed || this.#feed.ended.aborted) leave();
    try {
      await this.#sendPlace();
      while (!this.#left.signal.aborted && this.#head.era === this.#place.era && (await this.#mayRead()))
        await this.#step();
    } catch (error) {
      const isExpired = error instanceof Problem && error.status === 410;
      if (!this.#left.signal.aborted && !isExpired) throw error;
    } finally {
      this.#feed.ended.removeEventListener('abort', leave);
      this.#res.end();
    }
  }

  /** Sends the next piece, or waits for one. */
  async #step() {
    const piece = await this.#feed.read(this.#place, PIECE_CHANGES, this.#head).catch(unlessAway);
    if (piece) this.#place = piece.next;
    if (piece && piece.changes.length > 0) await this.#send(piece.events);
    else this.#head = await this.#feed.nextHead(this.#head, piece ? KEY_CHECK_MS : RETRY_MS, this.#left.signal);
    if (performance.now() - this.#sentMs >= SIGN_OF_LIFE_MS) await this.#sendPlace();
  }

  /** A comment, and an event without data, which no client shows: one that resumes later begins here. */
  #sendPlace() {
    return this.#send(`:\nid: ${cursorText(this.#place)}\n\n`);
  }

  /** @param {string | Buffer} events */
  async #send(events) {
    this.#sentMs = performance.now();
    if (!this.#res.write(events)) await once(this.#res, 'drain', { signal: this.#left.signal });
  }

  async #mayRead() {
    if (performance.now() - this.#checkedMs < KEY_CHECK_MS) return true;
    this.#checkedMs = performance.now();
    return this.#isAllowed(KEY_CHECK_MS);
  }
}

/** @param {unknown} error @returns {null} that the database is away: the reader is not to blame */
function unlessAway(error) {
  if (error instanceof Problem && error.status === 503) return null;
  throw error;
}

exports.Stream = Stream;
