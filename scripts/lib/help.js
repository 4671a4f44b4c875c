'use strict';

/*
 * The help of a command, from its table of options.
 */

const WIDTH = 118;

/**
 * @typedef {object} Help
 * @property {string} about the command, in a sentence or two
 * @property {[left: string, about: string][]} [rows] of words and actions, before those of the options
 * @property {string} [more] what follows the options
 */

/** @param {string} text @param {number} width @returns {string[]} lines */
function wrap(text, width) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** @param {string} text one paragraph a line */
const paragraphs = (text) =>
  text
    .split('\n')
    .flatMap((line) => wrap(line, WIDTH))
    .join('\n');

/** @param {[name: string, option: import('./words').Options[string]]} entry @returns {[left: string, about: string]} */
function rowOf([name, { value, about = '', default: fallback }]) {
  const known = typeof fallback === 'string' && !about.includes('default ');
  return [value ? `--${name} ${value}` : `--${name}`, known ? `${about} (default ${fallback})` : about];
}

/**
 * Options without `about` are not shown.
 * @param {string} usage the command with its words
 * @param {Help} help
 * @param {import('./words').Options} options
 * @returns {string}
 */
function helpOf(usage, { about, rows = [], more = '' }, options) {
  const all = [
    ...rows,
    ...Object.entries(options)
      .filter(([, { about }]) => about)
      .map(rowOf),
    /** @type {const} */ (['--help', 'this text']),
  ];
  const left = Math.max(...all.map(([text]) => text.length)) + 2;
  const lines = all.map(([text, its]) =>
    wrap(its, WIDTH - left - 2)
      .map((line, at) => `  ${(at === 0 ? text : '').padEnd(left)}${line}`)
      .join('\n'),
  );
  return [usage, paragraphs(about), lines.join('\n'), paragraphs(more)].filter(Boolean).join('\n\n');
}

module.exports = { helpOf };
