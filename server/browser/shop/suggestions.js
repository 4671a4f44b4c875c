import { isUnspaced, placedTokens, unitsOf } from '../../client/words.js';
import { listAddress, productAddress } from './address.js';
import { h } from '../shared/dom.js';
import { picture } from './picture.js';
import { money, number } from './written.js';

/** @typedef {import('../../client/catalog.js').Suggestions} Suggestions */

/** A last word that is excluded. */
const EXCLUDES = /(?:^|\s)-\S*\s*$/;

/** @param {string} word */
const wholeOf = (word) => unitsOf(word)[0]?.whole ?? '';

/**
 * The text with its last word, or the part behind its last sign, completed. Pairs of scripts without spaces and excluded words have no completion.
 * @param {string} text so far @param {Suggestions['words']} words that complete it
 * @returns {{ whole: string, count: number }[]}
 */
function completions(text, words) {
  const last = placedTokens(text).at(-1);
  if (!last || isUnspaced(last.token) || EXCLUDES.test(text)) return [];
  const { token, places } = last;
  const part = token.search(/[^'`./-]*$/);
  return words.map(({ value, count }) => {
    const from = wholeOf(value).startsWith(wholeOf(token)) ? places[0].from : places[part].from;
    return { whole: text.slice(0, from) + value, count };
  });
}

/** @param {Record<string, string>} parameters */
export const list = (parameters) => listAddress(new URLSearchParams(parameters));

let made = 0;

/** @param {string} href @param {...import('../shared/dom.js').Child} children */
const option = (href, ...children) =>
  h(
    'a',
    { role: 'option', id: `suggestion-${(made += 1)}`, 'aria-selected': 'false', tabindex: -1, href },
    ...children,
  );

/** @param {string} title @param {HTMLElement[]} options @returns {HTMLElement[]} none without options */
const section = (title, options) =>
  options.length === 0
    ? []
    : [h('div', { role: 'group', 'aria-label': title }, h('p', { 'aria-hidden': 'true' }, title), ...options)];

/**
 * Suggestions for a text, as links in groups.
 * @param {string} text so far @param {Suggestions} suggestions
 */
export function sections(text, { words, categories, cards }) {
  const count = (/** @type {number} */ value) => h('span', { class: 'count' }, number(value));
  return [
    ...section(
      'Words',
      completions(text, words).map(({ whole, count: products }) =>
        option(list({ q: whole }), h('span', { dir: 'auto' }, whole), count(products)),
      ),
    ),
    ...section(
      'Categories',
      categories.map(({ value, count: products }) =>
        option(list({ category: value }), h('span', { dir: 'auto' }, value), count(products)),
      ),
    ),
    ...section(
      'Products',
      cards.map((card) =>
        option(
          productAddress(card.id),
          picture(card, { url: card.offer.thumbnail_url, first: true }),
          h('span', { dir: 'auto' }, card.name, h('small', { dir: 'auto' }, card.category)),
          h('span', { class: 'count' }, money(card.offer.price)),
        ),
      ),
    ),
  ];
}
