'use strict';

const { countBits, wordsFor } = require('../sets/bits');
const { OrdinalSet } = require('../sets/ordinal-set');
const { SearchIndex } = require('../index/search-index');
const { changedFacets } = require('./facet-lists');
const { movedByName } = require('./moved-names');
const { SetDeltas } = require('./set-deltas');
const { writeOf } = require('./writes');
const { Dictionary } = require('../text/dictionary');

/** @type {import('../text/dictionary').WordClass[]} */
const CLASSES = ['n', 'm', 'a'];

/**
 * The dictionary after a write. Words that no product has any more are not in it.
 * @param {Dictionary} dictionary @param {Map<string, number[]>} changes by word: products more in each class
 */
function changedDictionary(dictionary, changes) {
  const words = [...changes].map(([word, more]) => ({ bytes: Buffer.from(word), index: dictionary.find(word), more }));
  words.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  const added = words.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const made = new Dictionary(dictionary.length + words.length, dictionary.starts[dictionary.length] + added);
  made.length = 0;
  let from = 0;
  for (const { bytes, index, more } of words) {
    const place = index < 0 ? dictionary.lowerBound(bytes) : index;
    append(made, dictionary, from, place);
    from = index < 0 ? place : place + 1;
    const counts = CLASSES.map((name, at) => (index < 0 ? 0 : dictionary.counts[name][index]) + more[at]);
    if (counts[CLASSES.length - 1] > 0) appendWord(made, bytes, counts);
  }
  append(made, dictionary, from, dictionary.length);
  return made;
}

/** @param {Dictionary} made @param {Dictionary} other @param {number} from first word of it @param {number} to behind the last */
function append(made, other, from, to) {
  const used = made.starts[made.length];
  other.bytes.copy(made.bytes, used, other.starts[from], other.starts[to]);
  for (const name of CLASSES) made.counts[name].set(other.counts[name].subarray(from, to), made.length);
  const moved = used - other.starts[from];
  for (let index = from; index < to; index += 1) made.starts[(made.length += 1)] = other.starts[index + 1] + moved;
}

/** @param {Dictionary} made @param {Buffer} bytes @param {number[]} counts */
function appendWord(made, bytes, counts) {
  const end = made.starts[made.length] + bytes.copy(made.bytes, made.starts[made.length]);
  for (const [at, name] of CLASSES.entries()) made.counts[name][made.length] = counts[at];
  made.starts[(made.length += 1)] = end;
}

/** The memory of a written product beside its terms and its name. */
const PRODUCT_BYTES = 300;
const CHARACTER_BYTES = 2;
/** Ordinals for created products are added by this part of the catalog at a time, because sets of another size must be read anew. */
const SPARE_SHARE = 1 / 64;
const MIN_SPARE = 32;

/** @typedef {import('./writes').Row} Row @typedef {import('../orders/scale').Scale} Scale */
/** @typedef {import('./writes').Touched} Touched */
/** @typedef {import('./writes').Write} Write */
/** @typedef {{ id: number, ordinal: number } & import('./writes').Move} Renamed product */

/** An index, and what was written since the load. Never changed: what is written next makes another one. */
class Delta {
  #touched;
  #renamed;

  /**
   * @param {SearchIndex} index
   * @param {Map<number, Touched>} touched by id: those that differ from the load
   * @param {Map<number, Renamed>} renamed by ordinal, which a product may leave to another; their place by name is not found yet
   */
  constructor(index, touched = new Map(), renamed = new Map()) {
    this.index = index;
    this.#touched = touched;
    this.#renamed = renamed;
  }

  /** About what it takes beside the index of the load. */
  get bytes() {
    let characters = 0;
    for (const { name } of this.#touched.values()) characters += name?.length ?? 0;
    return this.#touched.size * PRODUCT_BYTES + characters * CHARACTER_BYTES + (this.index.deltas?.bytes ?? 0);
  }

  get products() {
    return this.#touched.size;
  }

  /**
   * Adds what was written. The order by name is that of before, up to `named`.
   * @param {Row[]} rows one a product @param {import('../query-context').Turn} turn
   * @returns {Promise<Delta>}
   */
  async with(rows, turn) {
    if (rows.length === 0) return this;
    const { parts } = this.index;
    const known = rows.filter(({ id, content }) => parts.ids.find(id) >= 0 || content?.after);
    const ids = idsWith(parts, new Set(known.map(({ id }) => id)));
    /** @type {Write[]} */
    const writes = [];
    for (const row of known) {
      const ordinal = ids.find(row.id);
      const wasThere = ordinal < parts.all.size && parts.all.has(ordinal);
      writes.push(writeOf(row, { ordinal, wasThere, touched: this.#touched.get(row.id), fields: parts.fields }));
      await turn.pause();
    }
    const { deltas, changed, terms, scales } = (parts.deltas ?? new SetDeltas()).moved(writes);
    await turn.pause();
    const made = { ...parts, ids, deltas };
    this.#resize(made);
    made.all = allOf(parts.all, made.all.size, writes);
    Object.assign(made, changedFacets(parts, changed));
    const words = new Map([...changed].filter(isWord).map(([term, more]) => [term.slice(2), more]));
    if (words.size > 0) {
      made.dictionary = changedDictionary(parts.dictionary, words);
      made.forms = parts.forms.with([...words.keys()]);
    }
    await turn.pause();
    const options = { size: made.all.size, cache: made.sets, turn };
    made.scales = await changedScales(parts.scales, scales, { ...options, ids });
    if (made.sets !== parts.sets) made.byName = parts.byName.over(options);
    const touched = new Map(this.#touched);
    const renamed = new Map(this.#renamed);
    for (const [index, { id, ordinal, name, touched: now }] of writes.entries()) {
      if (terms[index].length > 0 || now.name !== undefined) touched.set(id, { terms: terms[index], ...now });
      else touched.delete(id);
      const before = this.#renamed.get(ordinal);
      const from = before ? before.from : name.from;
      if (from !== name.to || before) renamed.set(ordinal, { id, ordinal, from, to: name.to });
    }
    return new Delta(new SearchIndex(made), touched, renamed);
  }

  /** Puts renamed products where they belong by name. @param {import('./moved-names').ReadNames} names @param {import('../query-context').Turn} turn */
  async named(names, turn) {
    if (this.#renamed.size === 0) return this;
    const { parts } = this.index;
    const options = { size: parts.all.size, cache: parts.sets, turn, names };
    const byName = await movedByName(parts, [...this.#renamed.values()], options);
    return new Delta(new SearchIndex({ ...parts, byName }), this.#touched);
  }

  /** The index as a state of earlier writes may still show it: these are left out. @param {number[]} gone ids */
  without(gone) {
    const { parts } = this.index;
    const bits = Int32Array.from(/** @type {Int32Array} */ (parts.all.bits));
    for (const id of gone) {
      const ordinal = parts.ids.find(id);
      if (ordinal >= 0) bits[ordinal >>> 5] &= ~(1 << (ordinal & 31));
    }
    const count = countBits(bits);
    if (count === parts.all.count) return this.index;
    // Lists of facets count the others, too, so `isAll` may not be set: each value is counted from its set.
    return new SearchIndex({ ...parts, all: new OrdinalSet(parts.all.size, count, { bits }, false) });
  }

  /** Adds ordinals when those that sets have do not suffice. @param {import('../index/search-index').Parts} parts that are being made */
  #resize(parts) {
    const { size } = parts.all;
    if (parts.ids.length <= size) return;
    const wider = parts.ids.length + Math.max(MIN_SPARE, Math.floor(parts.ids.length * SPARE_SHARE));
    parts.all = new OrdinalSet(wider, 0, { bits: new Int32Array(wordsFor(wider)) });
    parts.sets = parts.sets.resized(wider);
    parts.spare = [];
  }
}

/** With the ids of created products. They get ordinals that others have left, whose sets no search reads any more. @param {import('../index/search-index').Parts} parts @param {Set<number>} written ids */
function idsWith({ ids, all }, written) {
  const isFree = (/** @type {number} */ ordinal) => !all.has(ordinal) && !written.has(ids.at(ordinal));
  return ids.with(
    [...written].filter((id) => ids.find(id) < 0),
    isFree,
  );
}

/**
 * Those that were read, after a write.
 * @param {Map<string, Scale>} scales @param {Map<string, import('../orders/scale').ScaleChange[]>} changes @param {Parameters<Scale['changed']>[1]} options
 */
async function changedScales(scales, changes, options) {
  /** @type {Map<string, Scale>} */
  const made = new Map();
  for (const [name, scale] of scales) made.set(name, await scale.changed(changes.get(name) ?? [], options));
  return made;
}

/** @param {[term: string, more: number[]]} changed */
const isWord = ([term, more]) => term.startsWith('w:') && more.some((by) => by !== 0);

/** @param {OrdinalSet} all before @param {number} size @param {Write[]} writes */
function allOf(all, size, writes) {
  const bits = new Int32Array(wordsFor(size));
  bits.set(/** @type {Int32Array} */ (all.bits));
  let { count } = all;
  for (const { ordinal, isThere } of writes) {
    const bit = 1 << (ordinal & 31);
    const wasThere = (bits[ordinal >>> 5] & bit) !== 0;
    count += Number(isThere) - Number(wasThere);
    if (isThere) bits[ordinal >>> 5] |= bit;
    else bits[ordinal >>> 5] &= ~bit;
  }
  return new OrdinalSet(size, count, { bits }, true);
}

exports.Delta = Delta;
