import { wordsOf } from './fold.js';

/** The service lists so many terms of a word. Of a word that has more, each that begins with it counts. */
const MAX_TERMS = 50;

/**
 * Cuts a text into segments that match a search and segments that do not. They are texts, never HTML: show each as a text node.
 * @type {typeof import('./catalog.d.ts').highlight}
 */
export function highlight(text, words) {
  const terms = new Set(words.flatMap((each) => each.as));
  const beginnings = words.filter((each) => each.as.length >= MAX_TERMS).map(({ word }) => word);
  const marks = new Uint8Array(text.length);
  for (const { word, isCjk, places } of wordsOf(text)) {
    /** @param {number} first @param {number} last units of the word */
    const mark = (first, last) => marks.fill(1, places[first].from, places[last].to);
    if (isCjk) for (const [at, length] of occurrences(word, terms)) mark(at, at + length - 1);
    else if (terms.has(word) || beginnings.some((each) => word.startsWith(each))) mark(0, places.length - 1);
  }
  return segmentsOf(text, marks);
}

/** @param {string} run of CJK @param {Set<string>} terms @returns {Generator<[at: number, length: number]>} */
function* occurrences(run, terms) {
  for (const term of terms)
    for (let at = run.indexOf(term); at >= 0; at = run.indexOf(term, at + 1)) yield [at, term.length];
}

/** @param {string} text @param {Uint8Array} marks 1 where it matches */
function segmentsOf(text, marks) {
  const segments = [];
  for (let from = 0, to; from < text.length; from = to) {
    const next = marks.indexOf(1 - marks[from], from);
    to = next < 0 ? text.length : next;
    segments.push({ text: text.slice(from, to), match: marks[from] === 1 });
  }
  return segments;
}
