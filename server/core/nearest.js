'use strict';

/** A name that differs in more than this share of its letters is another one, not a slip. */
const MAX_EDITS_SHARE = 0.5;

/**
 * The name that was probably meant.
 * @param {string} given @param {readonly string[]} names that exist
 * @returns {string | null} null when none is near
 */
function nearest(given, names) {
  const wanted = given.toLowerCase();
  const [best] = names
    .map((name) => ({ name, edits: editsBetween(wanted, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= name.length * MAX_EDITS_SHARE)
    .sort((one, other) => one.edits - other.edits);
  return best?.name ?? null;
}

/**
 * Letters to insert, leave out, replace, or swap with their neighbours (optimal string alignment).
 * @param {string} from @param {string} to
 */
function editsBetween(from, to) {
  if (Math.abs(from.length - to.length) > to.length) return Infinity; // a flood of letters costs nothing
  let before = /** @type {number[]} */ ([]);
  let above = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = above[column - 1] + Number(from[row - 1] !== to[column - 1]);
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const least = Math.min(above[column] + 1, current[column - 1] + 1, replaced);
      current.push(swapped ? Math.min(least, before[column - 2] + 1) : least);
    }
    [before, above] = [above, current];
  }
  return above[to.length];
}

exports.nearest = nearest;
