'use strict';

/** @param {string} a @param {string} b @returns {number} letters to insert, drop or replace (Levenshtein) */
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries())
      next.push(Math.min(row[j + 1] + 1, next[j] + 1, row[j] + Number(letter !== other)));
    row = next;
  }
  return row[b.length];
}

/** @param {string} word @param {string[]} names @returns {string | undefined} the name that was probably meant */
function nearest(word, names) {
  const begun = names.filter((name) => word.length > 1 && (name.startsWith(word) || word.startsWith(name)));
  if (begun.length === 1) return begun[0];
  const [best] = names.map((name) => ({ name, far: distance(word, name) })).sort((a, b) => a.far - b.far);
  return best && best.far <= (word.length < 3 ? 1 : 2) ? best.name : undefined;
}

module.exports = { nearest };
