'use strict';

const { patchedSet } = require('./patched-set');
const { NONE, termOf } = require('./terms');

/** An entry is a position and two levels: that of the load and that of now. */
const LEVEL_BITS = 2;
const POSITION_SHIFT = 2 * LEVEL_BITS;
const LEVEL_MASK = (1 << LEVEL_BITS) - 1;
/** What a term takes beside its entries, and what an entry takes with its product. */
const TERM_BYTES = 200;
const ENTRY_BYTES = 8;

/** @typedef {import('./terms').Terms} Terms */
/** @typedef {{ entries: Int32Array, deltas: number[] }} Patch `deltas`: products more than in the load, for each highest level */
/** @typedef {{ position: number, before: Int32Array, touched: { differences: Int32Array } }} Move of a product from one list of differences to another */

/** In which terms products differ from the load. It is never changed: a further write makes another one. */
class Patches {
  #numbers;
  #names;
  #patches;

  /**
   * @param {Map<string, number>} numbers of terms, which all patches of an index share and add to
   * @param {string[]} names terms by number
   * @param {Map<number, Patch>} patches by number
   */
  constructor(numbers = new Map(), names = [], patches = new Map()) {
    this.#numbers = numbers;
    this.#names = names;
    this.#patches = patches;
  }

  /**
   * How a product differs: for each term its number and both levels.
   * @param {Terms} loaded @param {Terms} now
   */
  differences(loaded, now) {
    const found = [];
    for (const [term, level] of loaded) {
      const nowLevel = now.get(term) ?? NONE;
      if (level !== nowLevel) found.push(this.#code(term, level, nowLevel));
    }
    for (const [term, level] of now) if (!loaded.has(term)) found.push(this.#code(term, NONE, level));
    return Int32Array.from(found);
  }

  /**
   * @param {Move[]} moves one a product
   * @returns {{ patches: Patches, changed: Map<string, number[]> }} `changed`: products more than before, by term and highest level
   */
  moved(moves) {
    /** @type {Map<number, Map<number, number>>} by number of the term: the new entry of each position; -1 for none */
    const terms = new Map();
    for (const { position, before, touched } of moves) {
      for (const code of before) ofTerm(terms, code).set(position, -1);
      for (const code of touched.differences)
        ofTerm(terms, code).set(position, (position << POSITION_SHIFT) | (code & levelsMask));
    }
    const patches = new Map(this.#patches);
    /** @type {Map<string, number[]>} */
    const changed = new Map();
    for (const [number, entries] of terms) {
      const old = patches.get(number);
      const patch = merged(old?.entries ?? new Int32Array(0), entries);
      changed.set(
        this.#names[number],
        patch.deltas.map((delta, level) => delta - (old?.deltas[level] ?? 0)),
      );
      if (patch.entries.length > 0) patches.set(number, patch);
      else patches.delete(number);
    }
    return { patches: new Patches(this.#numbers, this.#names, patches), changed };
  }

  /** About what it takes. */
  get bytes() {
    let entries = 0;
    for (const patch of this.#patches.values()) entries += patch.entries.length;
    return entries * ENTRY_BYTES + this.#numbers.size * TERM_BYTES;
  }

  /**
   * The products that have a key now.
   * @param {import('../set-algebra').Memory} memory @param {string} key @param {import('../position-set').PositionSet} set those of the load
   */
  apply(memory, key, set) {
    const { term, level } = termOf(key);
    const patch = this.#patches.get(this.#numbers.get(term) ?? -1);
    if (!patch) return set;
    const changes = Array.from(patch.entries, (entry) => (entry >> POSITION_SHIFT) * 2 + Number(isNow(entry, level)));
    return patchedSet(memory, set, changes);
  }

  /** @param {string} term @param {number} loaded @param {number} now levels */
  #code(term, loaded, now) {
    let number = this.#numbers.get(term);
    if (number === undefined) {
      number = this.#names.push(term) - 1;
      this.#numbers.set(term, number);
    }
    return (number << POSITION_SHIFT) | (loaded << LEVEL_BITS) | now;
  }
}

const levelsMask = (1 << POSITION_SHIFT) - 1;

/** @param {number} entry @param {number} level the highest that counts */
const isNow = (entry, level) => (entry & LEVEL_MASK) <= level;
/** @param {number} entry @param {number} level */
const wasLoaded = (entry, level) => ((entry >> LEVEL_BITS) & LEVEL_MASK) <= level;

/** @param {Map<number, Map<number, number>>} terms @param {number} code */
function ofTerm(terms, code) {
  const number = code >> POSITION_SHIFT;
  let entries = terms.get(number);
  if (!entries) terms.set(number, (entries = new Map()));
  return entries;
}

/** @param {Int32Array} old @param {Map<number, number>} changes by position @returns {Patch} */
function merged(old, changes) {
  const kept = old.filter((entry) => !changes.has(entry >> POSITION_SHIFT));
  const added = [...changes.values()].filter((entry) => entry >= 0);
  const entries = new Int32Array(kept.length + added.length);
  entries.set(kept);
  entries.set(added, kept.length);
  entries.sort();
  const deltas = [0, 0, 0];
  for (const entry of entries)
    for (let level = 0; level < NONE; level += 1)
      deltas[level] += Number(isNow(entry, level)) - Number(wasLoaded(entry, level));
  return { entries, deltas };
}

exports.Patches = Patches;
