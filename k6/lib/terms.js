import exec from 'k6/execution';
import { baseUrl, getAll } from './target.js';

/** Completions of each letter: the most frequent words, so that searches find something. */
const completions = 50;
const letters = 'abcdefghijklmnopqrstuvwxyz';

/**
 * Terms that a search finds. Two texts, because each user holds a copy (as in ids.js).
 * @typedef {{ words: string, categories: string }} Terms words by space, categories by line
 */

const ofSearch = ['search', 'suggest', 'ucp', 'mcp'];

/** Only scenarios that search need terms. */
export const needsTerms = () => Object.values(exec.test.options.scenarios).some((one) => ofSearch.includes(one.exec));

/** @returns {Terms} */
export function readTerms() {
  const [menu, ...suggested] = getAll([
    '/catalog',
    ...Array.from(letters, (letter) => `/suggest?q=${letter}&count=${completions}`),
  ]).map(({ body }) => JSON.parse(body));
  if (menu.sorts.length === 0)
    throw new Error(`${baseUrl} serves a catalog that was loaded without search: use --route all`);
  const words = suggested.flatMap((one) => one.words.map(({ value }) => value));
  if (words.length === 0) throw new Error(`${baseUrl} has no word that begins with a letter from a to z`);
  const categories = menu.facets.find(({ name }) => name === 'category').values;
  return { words: words.join(' '), categories: categories.map(({ value }) => value).join('\n') };
}

/** One part of a text, longer ones more often. @param {string} text @param {string} separator */
function partOf(text, separator) {
  const at = Math.floor(Math.random() * text.length);
  const start = text.lastIndexOf(separator, at - 1) + 1;
  const end = text.indexOf(separator, start);
  return text.slice(start, end < 0 ? text.length : end);
}

/** @param {import('./ids.js').Catalog} catalog */
export const drawWord = ({ terms }) => partOf(terms.words, ' ');

/** @param {import('./ids.js').Catalog} catalog */
export const drawCategory = ({ terms }) => partOf(terms.categories, '\n');
