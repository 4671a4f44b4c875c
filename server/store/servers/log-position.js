'use strict';

const { cursorText } = require('../../core/commit-cursor');
const { Slots } = require('./slots');

/** A worker that is more commits behind reads what the server has stored of them: one row a slot, not one for each of their products. */
const FAR_COMMITS = 2000;

/** @typedef {import('./log-reads').Status} Status */

/** How far this worker has read the log: every commit up to there is counted in its slots. */
class LogPosition {
  /** @type {Status | null} the last status whose commits are all counted, and no later ones; null before the first */
  reached = null;
  #reachedMs = -Infinity;
  #slots = new Slots();
  /** The last commit in the slots: that of the status, or one on the way to the next status. */
  seq = 0;

  /** How long ago the log was known to have no later commit. */
  get ageMs() {
    return performance.now() - this.#reachedMs;
  }

  /** As the feed of changes writes it. @returns {string | null} */
  get cursor() {
    return this.reached && cursorText(this.reached);
  }

  /** The last commit that may have changed a reply. @param {import('../database').DocumentRoute} route @param {number} id */
  seqOf(route, id) {
    return this.#slots.seqOf(route, id);
  }

  /** A position at a status needs to read nothing to reach it: an empty log has no commits. @param {Status} status */
  isAt({ token, seq }) {
    return seq === this.seq && (seq === 0 || token === this.reached?.token);
  }

  /** @param {Status} status that it is at */
  reach(status) {
    this.reached = status;
    this.#reachedMs = performance.now();
  }

  /**
   * Reads a piece of the log. With another version all is read anew: after a promotion the log may lack commits that are counted, and
   * has others under their numbers.
   * @param {Status} status @param {import('./log-reads').Log} log of the server that has it
   * @returns {Promise<boolean>} whether it is nearer; if not, the catalog was replaced meanwhile, and the next status says by which
   */
  async approach(status, log) {
    const missing = status.seq - this.seq;
    if (status.token === this.reached?.token && missing > 0 && missing <= FAR_COMMITS) {
      const commits = await log.commits(this.seq, status.seq);
      const isNext = commits[0]?.seq === this.seq + 1; // else it was deleted from the log
      if (isNext) {
        for (const commit of commits) this.#slots.apply(commit);
        this.seq = commits[commits.length - 1].seq;
        return true;
      }
    }
    const rows = await log.slots(status);
    if (!rows) return false;
    this.#slots.replace(rows);
    this.seq = status.seq;
    return true;
  }
}

exports.LogPosition = LogPosition;
