import { h } from '../shared/dom.js';

/** @typedef {import('../../client/catalog.js').WordMatch} WordMatch */

/** So many words are named in place of one. */
const MAX_NAMED = 3;

/** @param {string[]} words @returns {(Node | string)[]} in bold, with commas between them */
const listed = (words) => words.flatMap((word, index) => [index > 0 ? ', ' : '', h('strong', { dir: 'auto' }, word)]);

/** Names the words that were searched instead of one that no product has. @param {WordMatch} report */
const correction = ({ word, shown, typos }) =>
  typos > 0 &&
  h(
    'p',
    { class: 'notice' },
    'Showing results for ',
    ...listed(shown.slice(0, MAX_NAMED)),
    ' instead of ',
    h('s', { dir: 'auto' }, word),
  );

/**
 * Notices about the words that were searched. When none was found, the empty list says so.
 * @param {{ words: WordMatch[], ignored: string[] }} query of a reply
 */
export function notices({ words, ignored }) {
  const dropped =
    words.length > 0 &&
    ignored.length > 0 &&
    h('p', { class: 'notice' }, 'No product has all words. Ignored: ', ...listed(ignored), '.');
  return [...words.map(correction), dropped];
}
