'use strict';

const { seek } = require('../sets/sorted');

/** @typedef {import('../sets/ordinal-set').OrdinalSet} OrdinalSet */

/** The ids of products by ordinal: those of the load in order, then those that were created since, which may be lower ones. */
class Ids {
  #loaded;
  #created;
  /** Places in `#created`, in the order of their ids. */
  #inOrder;

  /** @param {Int32Array} loaded in order @param {number[]} created the first ordinal behind the loaded ones has the first of them */
  constructor(loaded, created = []) {
    this.#loaded = loaded;
    this.#created = created;
    this.#inOrder = created.map((_, place) => place).sort((a, b) => created[a] - created[b]);
    /** Ordinals that have or had a product. */
    this.length = loaded.length + created.length;
  }

  /** @param {number[]} created further ones @param {(ordinal: number) => boolean} isFree whether that of a created product may be another's */
  with(created, isFree) {
    if (created.length === 0) return this;
    const all = [...this.#created];
    const free = [...all.keys()].filter((place) => isFree(this.#loaded.length + place));
    for (const [index, id] of created.entries()) all[free[index] ?? all.length] = id;
    return new Ids(this.#loaded, all);
  }

  /** @param {number} ordinal */
  at(ordinal) {
    const place = ordinal - this.#loaded.length;
    return place < 0 ? this.#loaded[ordinal] : this.#created[place];
  }

  /** @param {number} id @returns {number} its ordinal; -1: no product has had it since the load */
  find(id) {
    const ordinal = this.findLoaded(id);
    if (ordinal >= 0) return ordinal;
    const place = this.#inOrder[this.#firstFrom(id)];
    return this.#created[place] === id ? this.#loaded.length + place : -1;
  }

  /** @param {number} id @returns {number} its ordinal; -1: the load does not have it */
  findLoaded(id) {
    const ordinal = seek(this.#loaded, 0, id);
    return this.#loaded[ordinal] === id ? ordinal : -1;
  }

  /** How many products of a set have lower ids. @param {OrdinalSet} set @param {number} id */
  countBefore(set, id) {
    const created = this.#inOrder.slice(0, this.#firstFrom(id));
    return this.#loadedBefore(set, id) + created.filter((place) => set.has(this.#loaded.length + place)).length;
  }

  /**
   * Some products of a set in the order of ids.
   * @param {OrdinalSet} set @param {number} offset @param {number} count
   * @returns {ArrayLike<number> & Iterable<number>} ordinals
   */
  page(set, offset, count) {
    const created = this.#inOrder.map((place) => this.#loaded.length + place).filter((ordinal) => set.has(ordinal));
    if (created.length === 0) return set.slice(offset, count);
    const before = (/** @type {number} */ index) => this.#loadedBefore(set, this.at(created[index])) + index;
    const first = firstThat(created.length, (index) => before(index) >= offset);
    const loaded = [...set.slice(offset - first, count)].filter((ordinal) => ordinal < this.#loaded.length);
    const both = [...loaded, ...created.slice(first, first + Math.max(0, count))];
    return both.sort((a, b) => this.at(a) - this.at(b)).slice(0, Math.max(0, count));
  }

  /** @param {OrdinalSet} set @param {number} id */
  #loadedBefore(set, id) {
    return set.rank(seek(this.#loaded, 0, id));
  }

  /** The first index in `#inOrder` whose id is at least `id`. @param {number} id */
  #firstFrom(id) {
    return firstThat(this.#inOrder.length, (index) => this.#created[this.#inOrder[index]] >= id);
  }
}

/** @param {number} length @param {(index: number) => boolean} test holds from some index on @returns {number} that index */
function firstThat(length, test) {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

exports.Ids = Ids;
exports.firstThat = firstThat;
