'use strict';

const { setTimeout: pause } = require('node:timers/promises');

const { PROBLEMS, Problem, overloaded } = require('../core/errors');

/** Longer than a poll of the log and the move that it causes: of lists after 250 ms (store/servers/lists.js), of searches after a second (create-searches.js). */
const WAIT_MS = { document: 500, list: 500, search: 2000 };
const CHECK_MS = 20;
const MAX_WAITING = 256;

/** A reply shows one product, several, or what searches have seen. @typedef {'document' | 'list' | 'search'} Shown */

/** Lets a read wait for a commit, so that a client reads what it has written. */
class CommitWait {
  #version;
  #searches;
  #waiting = 0;

  /**
   * @param {object} parts
   * @param {Pick<import('../store/servers/data-version').DataVersion, 'current' | 'lists' | 'position'>} parts.version
   * @param {Pick<import('./searches').Searches, 'begun' | 'hasSeen' | 'written'>} parts.searches
   */
  constructor({ version, searches }) {
    this.#version = version;
    this.#searches = searches;
  }

  /**
   * @param {{ era: number, seq: number }} commit @param {Shown} shown
   * @throws {Problem} 410 for a commit of an earlier era; 503 when a read does not have it in time
   */
  async until(commit, shown) {
    if (shown !== 'search' && this.#has(commit, shown)) return;
    if (this.#waiting >= MAX_WAITING) throw overloaded(`${MAX_WAITING} reads are waiting for a commit.`);
    this.#waiting += 1;
    try {
      const { current } = this.#version;
      if (shown === 'search' && current !== null) await this.#searches.begun(current);
      const deadlineMs = performance.now() + WAIT_MS[shown];
      while (!this.#has(commit, shown)) {
        if (shown === 'search' && this.#searches.written.isFull && this.#has(commit, 'list')) throw searchesFull();
        if (performance.now() > deadlineMs)
          throw new Problem(PROBLEMS.notYet, 'This worker does not have the commit of Catalog-Min-Cursor yet.');
        await pause(CHECK_MS);
      }
    } finally {
      this.#waiting -= 1;
    }
  }

  /** @param {{ era: number, seq: number }} commit @param {Shown} shown */
  #has({ era, seq }, shown) {
    const { current, lists, position } = this.#version;
    const { reached } = position;
    if (!reached) return false;
    if (era < reached.era)
      throw new Problem(
        PROBLEMS.cursorForked,
        'The database was promoted or restored since. Read without Catalog-Min-Cursor.',
      );
    if (era > reached.era || seq > reached.seq) return false;
    return (
      shown === 'document' || (lists.hurry() && (shown === 'list' || this.#searches.hasSeen(String(current), seq)))
    );
  }
}

const searchesFull = () =>
  new Problem(
    PROBLEMS.notYet,
    'Searches do not have the commit of Catalog-Min-Cursor: more was written since the load than they hold. Load the catalog again, or search without the header.',
  );

exports.CommitWait = CommitWait;
