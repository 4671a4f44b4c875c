'use strict';

/** Reading what was written makes a part of the index anew, so searches move this often under constant writes. */
const MOVE_MS = 1000;

/** @typedef {import('../search/current-index').CurrentIndex} CurrentIndex */

/** Lets searches see what was written: at once, and under constant writes once a second. */
class SearchFollower {
  #index;
  #version;
  #events;
  #movedMs = -Infinity;
  #isFull = false;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {CurrentIndex} index
   * @param {{ current: string | null, position: { reached: { listedSeq: number } | null } }} version
   * @param {import('../core/events').Events} events
   */
  constructor(index, version, events) {
    this.#index = index;
    this.#version = version;
    this.#events = events;
  }

  /** Call it when the log has another commit: most of stock change nothing that a search shows. */
  follow() {
    const { current, position } = this.#version;
    const listedSeq = position.reached?.listedSeq ?? 0;
    if (current === null || this.#timer || listedSeq <= this.#index.seqOf(current)) return;
    const leftMs = this.#movedMs + MOVE_MS - performance.now();
    this.#timer = setTimeout(() => void this.#move(), Math.max(0, leftMs)).unref();
  }

  /** Searches see a commit of the log, or all commits up to it that they show. @param {string} version @param {number} seq */
  hasSeen(version, seq) {
    const listedSeq = this.#version.position.reached?.listedSeq ?? 0;
    return !this.#index.holds(version) || Math.min(seq, listedSeq) <= this.#index.seqOf(version);
  }

  async #move() {
    this.#movedMs = performance.now();
    try {
      await this.#index.follow();
      const { written } = this.#index;
      if (written.isFull && !this.#isFull) this.#events.emit('searchFull', written);
      this.#isFull = written.isFull;
    } catch (error) {
      this.#events.emit('searchStale', /** @type {Error} */ (error));
    } finally {
      this.#timer = undefined;
      if (this.#index.isFollowing) this.follow();
    }
  }
}

exports.SearchFollower = SearchFollower;
