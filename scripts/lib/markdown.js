'use strict';

const isNumber = (/** @type {string} */ cell) => /^[≥\d,.\s]*$/.test(cell);

/** @param {string[]} heads @param {string[][]} rows @returns {string} a table in Markdown, whose columns are aligned in a terminal, too */
function table(heads, rows) {
  const widths = heads.map((head, at) =>
    Math.max(3, ...[head, ...rows.map((cells) => cells[at])].map((cell) => cell.length)),
  );
  const isRight = heads.map((_, at) => rows.length > 0 && rows.every((cells) => isNumber(cells[at])));
  const line = (/** @type {string[]} */ cells) =>
    `| ${cells.map((cell, at) => (isRight[at] ? cell.padStart(widths[at]) : cell.padEnd(widths[at]))).join(' | ')} |`;
  const rule = widths.map((width, at) => '-'.repeat(width - 1) + (isRight[at] ? ':' : '-'));
  return [heads, rule, ...rows].map(line).join('\n');
}

module.exports = { table };
