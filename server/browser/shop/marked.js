import { highlight } from '../../client/catalog.js';
import { h } from '../shared/dom.js';

/** @typedef {import('../../client/catalog.js').WordMatch[]} Words of a query, with the terms that matched */

/** A text with what matched marked. @param {string} text @param {Words} words @returns {(Node | string)[]} */
export const marked = (text, words) =>
  words.length === 0
    ? [text]
    : highlight(text, words).map((segment) => (segment.match ? h('mark', {}, segment.text) : segment.text));
