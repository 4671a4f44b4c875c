'use strict';

/** @param {string[]} heads @param {string[][]} rows @returns {string} a table in Markdown */
const table = (heads, rows) =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

module.exports = { table };
