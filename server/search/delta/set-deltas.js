'use strict';

const { NONE, isOfScale, scaleTerm, termOf } = require('./terms');
const { valueOf } = require('../facets/value-key');
const { addOrdinals, wordsFor } = require('../sets/bits');
const { OrdinalSet } = require('../sets/ordinal-set');
const { settle } = require('../sets/set-algebra');

/** @typedef {import('../sets/set-algebra').Memory} Memory */

/**
 * A set in which some products are, or are not, whatever it has of them.
 * @param {Memory} memory @param {OrdinalSet} set
 * @param {ArrayLike<number>} changes in order: twice the ordinal, and 1 when the product is in it
 */
function changedSet(memory, set, changes) {
  if (set.ordinals && set.count + changes.length <= wordsFor(memory.size)) return merged(memory, set.ordinals, changes);
  const bits = memory.take();
  if (set.bits) bits.set(set.bits);
  else addOrdinals(bits.fill(0), /** @type {Int32Array} */ (set.ordinals));
  for (let at = 0; at < changes.length; at += 1) {
    const ordinal = changes[at] >>> 1;
    const bit = 1 << (ordinal & 31);
    if (changes[at] & 1) bits[ordinal >>> 5] |= bit;
    else bits[ordinal >>> 5] &= ~bit;
  }
  return settle(memory, bits);
}

/** @param {Memory} memory @param {Int32Array} ordinals @param {ArrayLike<number>} changes */
function merged(memory, ordinals, changes) {
  const out = memory.take();
  let written = 0;
  let next = 0;
  for (let at = 0; at < changes.length; at += 1) {
    const ordinal = changes[at] >>> 1;
    while (next < ordinals.length && ordinals[next] < ordinal) out[written++] = ordinals[next++];
    if (ordinals[next] === ordinal) next += 1;
    if (changes[at] & 1) out[written++] = ordinal;
  }
  while (next < ordinals.length) out[written++] = ordinals[next++];
  const found = out.subarray(0, written);
  if (OrdinalSet.isSparse(memory.size, written)) return new OrdinalSet(memory.size, written, { ordinals: found });
  const bits = memory.take().fill(0);
  addOrdinals(bits, found);
  return new OrdinalSet(memory.size, written, { bits });
}

/** An entry is an ordinal and two levels: that of the load and that of now. */
const LEVEL_BITS = 2;
const ORDINAL_SHIFT = 2 * LEVEL_BITS;
const LEVEL_MASK = (1 << LEVEL_BITS) - 1;
/** The memory of a term beside its text and entries, and of an entry with its product. */
const TERM_BYTES = 200;
const CHARACTER_BYTES = 2;
const ENTRY_BYTES = 12;

/** @typedef {import('./terms').Terms} Terms @typedef {import('../orders/scale').ScaleChange} ScaleChange */
/** @typedef {{ term: string, entries: Int32Array, more: number[] }} SetDelta `more`: products more than in the load, for each highest level */
/** @typedef {{ ordinal: number, before: string[], differences: Map<string, number> }} Move of a product to other differences, from some in the terms `before` */
/** @typedef {{ term: string, entries: Map<number, number> }} Change the new entry of each ordinal; -1 for none */

/** In which terms products differ from the load. It is never changed: a further write makes another one. A term without a product is in none. */
class SetDeltas {
  #deltas;

  /** @param {Map<string, SetDelta>} deltas by term */
  constructor(deltas = new Map()) {
    this.#deltas = deltas;
  }

  /**
   * @param {Move[]} moves one a product
   * @returns {{ deltas: SetDeltas, changed: Map<string, number[]>, terms: string[][], scales: Map<string, ScaleChange[]> }} `changed`: products
   *   more than before, by term and highest level; `terms`: of the differences of each move, in texts that are shared; `scales`: values that products got or lost
   */
  moved(moves) {
    /** @type {Map<string, Change>} */
    const changes = new Map();
    const ofTerm = (/** @type {string} */ term) => {
      let change = changes.get(term);
      if (!change) changes.set(term, (change = { term: this.#deltas.get(term)?.term ?? term, entries: new Map() }));
      return change;
    };
    const terms = moves.map(({ ordinal, before, differences }) => {
      for (const term of before) ofTerm(term).entries.set(ordinal, -1);
      return Array.from(differences, ([text, levels]) => {
        const { term, entries } = ofTerm(text);
        entries.set(ordinal, (ordinal << ORDINAL_SHIFT) | levels);
        return term;
      });
    });
    const deltas = new Map(this.#deltas);
    /** @type {Map<string, number[]>} */
    const changed = new Map();
    const scales = new ScaleChanges();
    for (const { term, entries } of changes.values()) {
      const old = deltas.get(term);
      if (isOfScale(term)) scales.add(term, old?.entries ?? new Int32Array(0), entries);
      const delta = { term, ...withChanges(old?.entries ?? new Int32Array(0), entries) };
      changed.set(
        term,
        delta.more.map((by, level) => by - (old?.more[level] ?? 0)),
      );
      if (delta.entries.length > 0) deltas.set(term, delta);
      else deltas.delete(term);
    }
    return { deltas: new SetDeltas(deltas), changed, terms, scales: scales.byName };
  }

  /** About what it takes. */
  get bytes() {
    let bytes = 0;
    for (const { term, entries } of this.#deltas.values())
      bytes += TERM_BYTES + term.length * CHARACTER_BYTES + entries.length * ENTRY_BYTES;
    return bytes;
  }

  /** How a scale of the load differs now. @param {string} name @returns {ScaleChange[]} */
  changesOf(name) {
    const scales = new ScaleChanges();
    for (const { term, entries } of this.#deltas.values())
      if (term.startsWith(scaleTerm(name, ''))) scales.add(term, new Int32Array(0), byOrdinal(entries));
    return scales.byName.get(name) ?? [];
  }

  /**
   * The products that have a key now.
   * @param {import('../sets/set-algebra').Memory} memory @param {string} key @param {import('../sets/ordinal-set').OrdinalSet} set those of the load
   */
  apply(memory, key, set) {
    const { term, level } = termOf(key);
    const delta = this.#deltas.get(term);
    if (!delta) return set;
    const changes = Array.from(delta.entries, (entry) => (entry >> ORDINAL_SHIFT) * 2 + Number(isNow(entry, level)));
    return changedSet(memory, set, changes);
  }
}

/** @param {Int32Array} entries @returns {Map<number, number>} */
const byOrdinal = (entries) => new Map(Array.from(entries, (entry) => [entry >> ORDINAL_SHIFT, entry]));

/** Values that products got or lost. */
class ScaleChanges {
  /** @type {Map<string, ScaleChange[]>} by scale */
  byName = new Map();

  /** @param {string} term of a value @param {Int32Array} old entries @param {Map<number, number>} changes by ordinal, -1 for none */
  add(term, old, changes) {
    const { facet: name, value } = valueOf(term);
    const before = byOrdinal(old.filter((entry) => changes.has(entry >> ORDINAL_SHIFT)));
    const all = this.byName.get(name) ?? [];
    for (const [ordinal, entry] of changes) {
      const known = before.get(ordinal) ?? -1;
      const loaded = wasLoaded(known < 0 ? entry : known, NONE - 1);
      const [was, isIn] = [known, entry].map((each) => (each < 0 ? loaded : isNow(each, NONE - 1)));
      if (was !== isIn) all.push({ value, ordinal, isIn });
    }
    this.byName.set(name, all);
  }
}

/**
 * How a product differs from the load.
 * @param {Terms} loaded @param {Terms} now
 * @returns {Map<string, number>} both levels by term
 */
function differencesOf(loaded, now) {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const term of new Set([...loaded.keys(), ...now.keys()])) {
    const [before, after] = [loaded.get(term) ?? NONE, now.get(term) ?? NONE];
    if (before !== after) found.set(term, (before << LEVEL_BITS) | after);
  }
  return found;
}

/** @param {number} entry @param {number} level the highest that counts */
const isNow = (entry, level) => (entry & LEVEL_MASK) <= level;
/** @param {number} entry @param {number} level */
const wasLoaded = (entry, level) => ((entry >> LEVEL_BITS) & LEVEL_MASK) <= level;

/** @param {Int32Array} old @param {Map<number, number>} changes by ordinal @returns {Omit<SetDelta, 'term'>} */
function withChanges(old, changes) {
  const kept = old.filter((entry) => !changes.has(entry >> ORDINAL_SHIFT));
  const added = [...changes.values()].filter((entry) => entry >= 0);
  const entries = new Int32Array(kept.length + added.length);
  entries.set(kept);
  entries.set(added, kept.length);
  entries.sort();
  const more = [0, 0, 0];
  for (const entry of entries)
    for (let level = 0; level < NONE; level += 1)
      more[level] += Number(isNow(entry, level)) - Number(wasLoaded(entry, level));
  return { entries, more };
}

exports.differencesOf = differencesOf;
exports.SetDeltas = SetDeltas;
