'use strict';

/**
 * The first index of sorted numbers, from `start` on, whose number is at least `wanted`. The steps double, so a walk through
 * both of two sets costs the shorter one times the logarithm of what is skipped.
 * @param {Int32Array} sorted @param {number} start @param {number} wanted
 */
function seek(sorted, start, wanted) {
  let step = 1;
  let low = start;
  while (low + step < sorted.length && sorted[low + step] < wanted) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, sorted.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many numbers two sorted arrays share. @param {Int32Array} few @param {Int32Array} others */
function countInBoth(few, others) {
  let count = 0;
  for (let i = 0, at = 0; i < few.length && at < others.length; i += 1) {
    at = seek(others, at, few[i]);
    if (others[at] === few[i]) count += 1;
  }
  return count;
}

/** Writes the numbers of two sorted arrays, each once. @param {Int32Array} out @param {Int32Array} a @param {Int32Array} b @returns {number} how many */
function mergeInto(out, a, b) {
  let written = 0;
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const left = a[i];
    const right = b[j];
    out[written++] = left < right ? left : right;
    if (left <= right) i += 1;
    if (right <= left) j += 1;
  }
  while (i < a.length) out[written++] = a[i++];
  while (j < b.length) out[written++] = b[j++];
  return written;
}

exports.mergeInto = mergeInto;
exports.seek = seek;
exports.countInBoth = countInBoth;
