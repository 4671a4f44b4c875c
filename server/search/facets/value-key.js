'use strict';

const FEATURE = 'feature.';

/**
 * The key of the products that have a value, as the loader writes it.
 * @param {string} facet category, size, stock.size, feature.NAME, on_sale or in_stock @param {string} value
 */
function valueKey(facet, value) {
  if (facet === 'on_sale' || facet === 'in_stock') return `f:${facet}`;
  if (!facet.startsWith(FEATURE)) return `f:${facet}=${value}`;
  return `f:${FEATURE}${facet.slice(FEATURE.length).replaceAll('%', '%25').replaceAll('=', '%3D')}=${value}`;
}

/** The facet and the value of such a key. @param {string} key @returns {{ facet: string, value: string }} */
function valueOf(key) {
  const at = key.indexOf('=');
  if (at < 0) return { facet: key.slice(2), value: 'true' };
  return { facet: key.slice(2, at).replaceAll('%3D', '=').replaceAll('%25', '%'), value: key.slice(at + 1) };
}

exports.FEATURE = FEATURE;
exports.valueKey = valueKey;
exports.valueOf = valueOf;
