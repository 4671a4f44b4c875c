'use strict';

const { isObject } = require('./merge');

/** @param {string} name @returns {string} as a token of a JSON pointer (RFC 6901) */
const token = (name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/**
 * @param {unknown} before @param {unknown} after values of JSON
 * @returns {string[]} JSON pointers of what differs; a list is one value, and so is what only one of them has
 */
function changedPaths(before, after, at = '') {
  if (!isObject(before) || !isObject(after)) return JSON.stringify(before) === JSON.stringify(after) ? [] : [at];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => changedPaths(before[name], after[name], at + token(name)));
}

/**
 * @param {unknown} before @param {unknown} after objects
 * @returns {any} the merge patch (RFC 7396) that makes `after` of `before`
 */
function patchBetween(before, after) {
  if (!isObject(before) || !isObject(after)) return after;
  /** @type {Record<string, unknown>} */
  const patch = {};
  for (const name of Object.keys(before)) if (!(name in after)) patch[name] = null;
  for (const [name, value] of Object.entries(after))
    if (changedPaths(before[name], value).length > 0) patch[name] = patchBetween(before[name], value);
  return patch;
}

/** @param {unknown} patch a merge patch @returns {string[]} JSON pointers of what it sets or removes */
const patchedPaths = (patch, at = '') =>
  isObject(patch) ? Object.entries(patch).flatMap(([name, value]) => patchedPaths(value, at + token(name))) : [at];

/** @param {string} one @param {string} other JSON pointers @returns {boolean} whether one is the other, or a part of it */
const overlap = (one, other) => `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);

exports.changedPaths = changedPaths;
exports.overlap = overlap;
exports.patchedPaths = patchedPaths;
exports.patchBetween = patchBetween;
exports.token = token;
