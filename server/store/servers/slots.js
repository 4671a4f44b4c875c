'use strict';

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

exports.MASK = MASK;
exports.Slots = Slots;
