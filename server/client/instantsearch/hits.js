import { highlight } from '../highlight.js';

/** @typedef {import('../catalog.d.ts').WordMatch} WordMatch @typedef {{ pre: string, post: string, isMarkup: boolean }} Tags */

const SHOWN = /** @type {const} */ (['name', 'slogan', 'category']);
/** @type {Record<string, string>} */
const ESCAPED = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** InstantSearch names tags that are no markup, escapes all and then replaces them. @param {import('./search-client.d.ts').SearchRequestParams} params @returns {Tags} */
export function tagsOf({ highlightPreTag: pre = '<em>', highlightPostTag: post = '</em>' }) {
  return { pre, post, isMarkup: /[<>]/.test(pre + post) };
}

/** @param {import('../catalog.d.ts').Card} card @param {WordMatch[]} words @param {Tags} tags */
export function hitOf(card, words, tags) {
  const shown = SHOWN.map((name) => [name, highlightedOf(card[name], words, tags)]);
  return { ...card, objectID: String(card.id), _highlightResult: Object.fromEntries(shown) };
}

/** @param {string} text @param {WordMatch[]} words @param {Tags} tags @returns {import('./search-client.d.ts').Highlighted} */
function highlightedOf(text, words, tags) {
  const matched = words.filter((word) => highlight(text, [word]).some(({ match }) => match));
  const level = matched.length === words.length ? 'full' : 'partial';
  return {
    value: marked(text, matched, tags),
    matchLevel: matched.length === 0 ? 'none' : level,
    matchedWords: matched.map(({ word }) => word),
  };
}

/** @param {string} text @param {Pick<WordMatch, 'word' | 'as'>[]} words @param {Tags} tags @returns {string} */
export function marked(text, words, { pre, post, isMarkup }) {
  const shown = (/** @type {string} */ part) => (isMarkup ? part.replace(/[&<>"']/g, (sign) => ESCAPED[sign]) : part);
  return highlight(text, words)
    .map(({ text: part, match }) => (match ? `${pre}${shown(part)}${post}` : shown(part)))
    .join('');
}
