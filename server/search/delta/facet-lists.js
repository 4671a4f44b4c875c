'use strict';

const { firstThat } = require('../orders/ids');
const { FEATURE, valueOf } = require('../facets/value-key');

/** @typedef {import('../index/search-index').FacetValues} FacetValues */
/** @typedef {{ facets: Map<string, FacetValues>, features: Map<string, number>}} Lists `features`: products of each, by name */

/** @param {string} a @param {string} b */
const byBytes = (a, b) => (a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b)));
/** Most products first, then by bytes. @param {[string, number]} a @param {[string, number]} b */
const inOrder = ([a, x], [b, y]) => y - x || byBytes(a, b);

/**
 * The facets after a write, in the order of db/search/facets.sql.
 * @param {Lists} lists @param {Map<string, number[]>} changed products more, by term and highest level
 * @returns {Lists}
 */
function changedFacets(lists, changed) {
  const facets = new Map(lists.facets);
  const features = new Map(lists.features);
  const copied = new Set();
  for (const [term, more] of changed) {
    const by = more[more.length - 1];
    if (by === 0) continue;
    if (term.startsWith('p:')) {
      const name = FEATURE + term.slice(2);
      const products = (features.get(name) ?? 0) + by;
      if (products > 0) features.set(name, products);
      else features.delete(name);
    } else if (term.startsWith('f:')) {
      const { facet, value } = valueOf(term);
      if (!copied.has(facet)) facets.set(facet, [...(facets.get(facet) ?? [])]);
      copied.add(facet);
      changeCount(/** @type {FacetValues} */ (facets.get(facet)), value, by);
    }
  }
  const isFeature = (/** @type {string} */ name) => name.startsWith(FEATURE);
  const names = [...facets.keys()].filter((name) => isFeature(name) && facets.get(name)?.length !== 0);
  const ordered = names.map((name) => /** @type {[string, number]} */ ([name, features.get(name) ?? 0])).sort(inOrder);
  const listed = [...[...facets.keys()].filter((name) => !isFeature(name)), ...ordered.map(([name]) => name)];
  return { facets: new Map(listed.map((name) => [name, /** @type {FacetValues} */ (facets.get(name))])), features };
}

/** @param {FacetValues} values in order @param {string} value @param {number} more */
function changeCount(values, value, more) {
  const at = values.findIndex(([each]) => each === value);
  const count = more + (at < 0 ? 0 : values.splice(at, 1)[0][1]);
  if (count === 0) return;
  const index = firstThat(values.length, (place) => inOrder(values[place], [value, count]) > 0);
  values.splice(index, 0, [value, count]);
}

exports.changedFacets = changedFacets;
