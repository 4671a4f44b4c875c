'use strict';

const { ordinalsOf, Tuning } = require('./tuning');

/** @typedef {import('../index/search-index').SearchIndex} SearchIndex */
/** @typedef {{ number: number, content: import('./tuning').Content | null, ranked: Buffer | null }} Stored row of catalog_meta.tuning; `ranked`: ids as int4 */
/** @typedef {{ number: number, loadId: number, tuning: Promise<Tuning> }} Current */

/** The tuning of a number for the index of a load. Each is read at its first search. */
class CurrentTuning {
  #read;
  /** @type {Current | null} */
  #current = null;

  /** @param {(number: number) => Promise<Stored>} read the last tuning, from a server that has this one or a later one */
  constructor(read) {
    this.#read = read;
  }

  /** @param {number} number 0: searches are not tuned @param {SearchIndex} index @param {import('../query-context').Turn} turn @returns {Promise<Tuning>} */
  of(number, index, turn) {
    const { loadId } = index;
    if (this.#current?.number !== number || this.#current.loadId !== loadId) {
      /** @type {Current} */
      const current = { number, loadId, tuning: this.#make(number, index, turn) };
      this.#current = current;
      current.tuning.catch(() => {
        if (this.#current === current) this.#current = null; // The next search reads it again.
      });
    }
    return this.#current.tuning;
  }

  /** @param {number} number @param {SearchIndex} index @param {import('../query-context').Turn} turn */
  async #make(number, index, turn) {
    const { language } = index.forms;
    if (number === 0) return new Tuning(language);
    const stored = await this.#read(number);
    await turn.next();
    return new Tuning(language, stored.content ?? {}, stored.ranked && (await ordinalsOf(stored.ranked, index, turn)));
  }
}

exports.CurrentTuning = CurrentTuning;
