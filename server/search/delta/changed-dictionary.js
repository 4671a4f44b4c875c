'use strict';

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

exports.changedDictionary = changedDictionary;
