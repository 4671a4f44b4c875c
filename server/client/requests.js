import { problemOf } from './problem.js';

/** Their values are one list by comma. Other names are repeated, because a category may have a comma. */
const BY_COMMA = ['ids', 'include', 'facets'];

/**
 * Sends a GET.
 * @callback Open
 * @param {string} path
 * @param {Record<string, unknown>} [params] of the query; undefined and false are left out
 * @param {AbortSignal} [signal]
 * @returns {Promise<Response>} with a status of success
 */

/** @param {import('./catalog.d.ts').Options} options @returns {Open} */
export function createRequests({ url = '', fetch = (...words) => globalThis.fetch(...words) }) {
  const base = url.replace(/\/+$/, '');
  return async (path, params = {}, signal) => {
    const response = await fetch(`${base}${path}${queryOf(params)}`, { signal });
    if (!response.ok) throw await problemOf(response);
    return response;
  };
}

/** @param {Record<string, unknown>} params @returns {string} empty without parameters */
function queryOf(params) {
  const pairs = Object.entries(params).flatMap(([name, value]) => valuesOf(name, value).map((each) => [name, each]));
  return pairs.length > 0 ? `?${pairs.map(([name, value]) => `${encodeURIComponent(name)}=${value}`).join('&')}` : '';
}

/** @param {string} name @param {unknown} value @returns {string[]} encoded */
function valuesOf(name, value) {
  if (value === undefined || value === false) return [];
  const values = [value].flat().map((each) => encodeURIComponent(String(each).toWellFormed()));
  return BY_COMMA.includes(name) && values.length > 0 ? [values.join()] : values;
}
