import { placedTokens, wordsOfToken } from './words.js';

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
  const isMarked = (/** @type {string} */ word) => terms.has(word) || beginnings.some((each) => word.startsWith(each));
  for (const { token, places } of placedTokens(text))
    for (const { word, from, to } of wordsOfToken(token))
      if (isMarked(word)) marks.fill(1, places[from].from, places[to - 1].to);
  return segmentsOf(text, marks);
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
