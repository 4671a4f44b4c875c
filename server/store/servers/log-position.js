'use strict';

const { cursorText } = require('../../core/commit-cursor');

/** Four products of a million share a slot. A power of two; both tables take 2 MB. */
const SLOTS = 2 ** 18;
const MASK = SLOTS - 1;

/**
 * @typedef {object} Commit
 * @property {number} seq
 * @property {number[]} content ids of products, any of whose replies may have changed
 * @property {number[]} restocked ids of products whose styles alone have changed
 */
/** @typedef {{ slots: number[], productSeqs: number[], stylesSeqs: number[] }} SlotRows the slots that have commits */

/**
 * The last commits that changed products, by the lowest bits of their ids: of the replies for a product and its related ones, and of
 * the styles. A cache key has the number of its slot. So a commit hides the old replies of what it changed, and of the few products
 * that share a slot with it. Numbers count from 0 again after 2^32 commits, by when no old reply is left.
 */
class Slots {
  #products = new Uint32Array(SLOTS);
  #styles = new Uint32Array(SLOTS);

  /** @param {import('../database').DocumentRoute} route @param {number} id */
  seqOf(route, id) {
    return (route === 'styles' ? this.#styles : this.#products)[id & MASK];
  }

  /** @param {Commit} commit the next one */
  apply({ seq, content, restocked }) {
    for (const id of content) this.#products[id & MASK] = this.#styles[id & MASK] = seq;
    for (const id of restocked) this.#styles[id & MASK] = seq;
  }

  /** Forgets all, and takes what a server has stored instead. @param {SlotRows} rows */
  replace({ slots, productSeqs, stylesSeqs }) {
    this.#products.fill(0);
    this.#styles.fill(0);
    for (const [index, slot] of slots.entries()) {
      this.#products[slot] = productSeqs[index];
      this.#styles[slot] = stylesSeqs[index];
    }
  }
}

/** A worker that is more commits behind reads what the server has stored of them: one row a slot, not one for each of their products. */
const FAR_COMMITS = 2000;

/** @typedef {import('./watcher').Status} Status */

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
   * @param {Status} status @param {import('./watcher').Log} log of the server that has it
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
exports.MASK = MASK;
exports.Slots = Slots;
