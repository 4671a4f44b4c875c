'use strict';

const { wordsFor } = require('../bits');
const { PositionSet } = require('../position-set');
const { SearchIndex } = require('../search-index');
const { changedDictionary } = require('./changed-dictionary');
const { changedFacets } = require('./facet-lists');
const { movedByName, movedByPrice } = require('./moved-orders');
const { Patches } = require('./patches');
const { writeOf } = require('./writes');

/** What a written product takes beside its terms. */
const PRODUCT_BYTES = 300;
/** Positions for created products are added by this part of the catalog at a time, because sets of another size must be read anew. */
const SPARE_SHARE = 1 / 64;
const MIN_SPARE = 32;

/** @typedef {import('./writes').Row} Row */
/** @typedef {import('./writes').Touched} Touched */
/** @typedef {import('./writes').Write} Write */
/** @typedef {{ id: number, position: number } & import('./writes').Move} Renamed product */

/** An index, and what was written since the load. Never changed: what is written next makes another one. */
class Overlay {
  #touched;
  #renamed;

  /** @param {SearchIndex} index @param {Map<number, Touched>} touched by id @param {Map<number, Renamed>} renamed by id, whose place by name is not found yet */
  constructor(index, touched = new Map(), renamed = new Map()) {
    this.index = index;
    this.#touched = touched;
    this.#renamed = renamed;
  }

  /** About what it takes beside the index of the load. */
  get bytes() {
    return this.#touched.size * PRODUCT_BYTES + (this.index.patches?.bytes ?? 0);
  }

  get products() {
    return this.#touched.size;
  }

  /**
   * Adds what was written. The order by name is that of before, up to `named`.
   * @param {Row[]} rows one a product @param {import('../turns').Pace} pace
   * @returns {Promise<Overlay>}
   */
  async with(rows, pace) {
    if (rows.length === 0) return this;
    const { parts } = this.index;
    const known = rows.filter(({ id, content }) => parts.ids.find(id) >= 0 || content?.after);
    const ids = parts.ids.with(known.map(({ id }) => id).filter((id) => parts.ids.find(id) < 0));
    const old = parts.patches ?? new Patches();
    /** @type {Write[]} */
    const writes = [];
    for (const row of known) {
      const position = ids.find(row.id);
      const wasThere = position < parts.all.size && parts.all.has(position);
      writes.push(writeOf(row, { position, wasThere, touched: this.#touched.get(row.id), patches: old }));
      await pace.pause();
    }
    const { patches, changed } = old.moved(writes);
    await pace.pause();
    const made = { ...parts, ids, patches };
    this.#resize(made);
    made.all = allOf(parts.all, made.all.size, writes);
    Object.assign(made, changedFacets(parts, changed));
    const words = new Map([...changed].filter(isWord).map(([term, more]) => [term.slice(2), more]));
    if (words.size > 0) made.dictionary = changedDictionary(parts.dictionary, words);
    await pace.pause();
    const options = { size: made.all.size, cache: made.sets, pace };
    Object.assign(made, await movedByPrice(made, writes, options));
    if (made.sets !== parts.sets) made.byName = parts.byName.over(options);
    const touched = new Map(this.#touched);
    const renamed = new Map(this.#renamed);
    for (const write of writes) {
      const { id, position, name } = write;
      touched.set(id, write.touched);
      const from = this.#renamed.has(id) ? (this.#renamed.get(id)?.from ?? null) : name.from;
      if (from !== name.to || this.#renamed.has(id)) renamed.set(id, { id, position, from, to: name.to });
    }
    return new Overlay(new SearchIndex(made), touched, renamed);
  }

  /** Puts renamed products where they belong by name. @param {import('./name-ranks').ReadNames} names @param {import('../turns').Pace} pace */
  async named(names, pace) {
    if (this.#renamed.size === 0) return this;
    const { parts } = this.index;
    const options = { size: parts.all.size, cache: parts.sets, pace, names };
    const byName = await movedByName(parts, [...this.#renamed.values()], options);
    return new Overlay(new SearchIndex({ ...parts, byName }), this.#touched);
  }

  /** Adds positions when those that sets have do not suffice. @param {import('../search-index').Parts} parts that are being made */
  #resize(parts) {
    const { size } = parts.all;
    if (parts.ids.length <= size) return;
    const wider = parts.ids.length + Math.max(MIN_SPARE, Math.floor(parts.ids.length * SPARE_SHARE));
    parts.all = new PositionSet(wider, 0, { bits: new Int32Array(wordsFor(wider)) });
    parts.sets = parts.sets.resized(wider);
    parts.spare = [];
  }
}

/** @param {[term: string, more: number[]]} changed */
const isWord = ([term, more]) => term.startsWith('w:') && more.some((by) => by !== 0);

/** @param {PositionSet} all before @param {number} size @param {Write[]} writes */
function allOf(all, size, writes) {
  const bits = new Int32Array(wordsFor(size));
  bits.set(/** @type {Int32Array} */ (all.bits));
  let { count } = all;
  for (const { position, isThere } of writes) {
    const bit = 1 << (position & 31);
    const wasThere = (bits[position >>> 5] & bit) !== 0;
    count += Number(isThere) - Number(wasThere);
    if (isThere) bits[position >>> 5] |= bit;
    else bits[position >>> 5] &= ~bit;
  }
  return new PositionSet(size, count, { bits }, true);
}

exports.Overlay = Overlay;
