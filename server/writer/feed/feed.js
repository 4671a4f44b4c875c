'use strict';

const { PROBLEMS, Problem, malformedParameter, overloaded, unavailable } = require('../../core/errors');
const { cursorIn } = require('../../core/commit-cursor');
const { LogReader } = require('./log-reader');

/** @typedef {import('../../core/commit-cursor').Cursor} Cursor @typedef {import('./log-reader').Head} Head */

/** Commits of other writers and of loads are found so late; those of this one come at once. */
const POLL_MS = 250;
/** Held requests and streams. */
const MAX_READERS = 1000;
const BEGIN = 'Begin with after=head, whose next is the last change, then read the catalog, then follow next';

/** The feed of changes: places in the log, and one poll of it for all who wait for the next commit. */
class Feed {
  #log;
  /** @type {Head | null} as it was read last */
  #head = null;
  /** @type {Set<() => void>} */
  #waiting = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  #poll;
  #end = new AbortController();
  readers = 0;

  /** @param {import('../database/writer-database').WriterDatabase['read']} read */
  constructor(read) {
    this.#log = new LogReader(read);
  }

  /** Aborted when the writer stops. */
  get ended() {
    return this.#end.signal;
  }

  /** Lets all readers go: they resume at another writer. */
  close() {
    this.#end.abort();
    this.#wake();
  }

  /** @returns {Promise<Head>} not older than the call; the same object while there is no other commit */
  async head() {
    const head = await this.#log.head();
    const known = this.#head;
    if (known && head.seq === known.seq && head.era === known.era) return known;
    this.#head = head;
    this.#wake();
    return head;
  }

  /**
   * @param {string | undefined} after as a client gives it @param {Head} head
   * @returns {Cursor} a place that this log may have
   * @throws {Problem} 400, 410
   */
  placeOf(after, head) {
    if (after === 'head') return { ...head, index: null };
    const cursor = cursorIn(after ?? '');
    if (!cursor)
      throw malformedParameter(
        after === undefined ? `after is missing. ${BEGIN}.` : `after must be head or a cursor. ${BEGIN}.`,
      );
    if (cursor.era !== head.era || cursor.seq > head.seq)
      throw new Problem(
        PROBLEMS.cursorForked,
        `The database was promoted or restored, and its log has other changes than those before the cursor. ${BEGIN}.`,
      );
    return cursor;
  }

  /** @param {Cursor} from @param {number} limit @param {Head} head */
  read(from, limit, head) {
    return this.#log.piece(from, limit, head);
  }

  /** Before a reader is held. @throws {Problem} 503 */
  admit() {
    if (this.ended.aborted) throw unavailable('This writer is stopping.');
    if (this.readers >= MAX_READERS) throw overloaded(`${MAX_READERS} readers are waiting for changes.`);
  }

  /** @template T @param {() => Promise<T>} work of a reader that may have to wait @returns {Promise<T>} */
  async hold(work) {
    this.readers += 1;
    this.#poll ??= setInterval(() => void this.look(), POLL_MS).unref();
    try {
      return await work();
    } finally {
      this.readers -= 1;
      if (this.readers === 0) {
        clearInterval(this.#poll);
        this.#poll = undefined;
      }
    }
  }

  /** Call it after a commit. Nothing is read while no reader waits. */
  async look() {
    if (this.#waiting.size > 0) await this.head().catch(() => {}); // the next poll comes soon
  }

  /**
   * @param {Head} head @param {number} ms @param {AbortSignal} signal
   * @returns {Promise<Head>} the next one; the same one after that time, or when the signal or the feed ends
   */
  async nextHead(head, ms, signal) {
    if (this.#head === head && !signal.aborted && !this.ended.aborted) {
      const { promise, resolve } = Promise.withResolvers();
      const wake = () => resolve(undefined);
      const timer = setTimeout(wake, ms);
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
      await promise;
      signal.removeEventListener('abort', wake);
      this.#waiting.delete(wake);
      clearTimeout(timer);
    }
    return this.#head ?? head;
  }

  #wake() {
    for (const wake of this.#waiting) wake();
  }
}

exports.Feed = Feed;
