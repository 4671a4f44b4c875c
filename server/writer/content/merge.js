'use strict';

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A merge patch (RFC 7396): null removes, objects are merged, all else replaces. The objects that it makes have no prototype, so that a
 * member "__proto__" is a member like others; the schema then refuses it.
 * @param {unknown} target is not changed @param {unknown} patch
 * @returns {any}
 */
function merge(target, patch) {
  if (!isObject(patch)) return patch;
  const merged = Object.assign(Object.create(null), isObject(target) ? target : {});
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = merge(merged[name], value);
  }
  return merged;
}

exports.isObject = isObject;
exports.merge = merge;
