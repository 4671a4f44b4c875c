/** @typedef {import('./asked.js').Asked} Asked */

/** Filters by what a facet counts have its name, but for these. @type {Record<string, string[]>} */
const FILTERS = { price: ['min_price', 'max_price'] };

/**
 * InstantSearch asks the counts of each refined facet apart, without its filter. `/search` has them beside the products, of the same words:
 * without the filter, it might read the query otherwise.
 * @param {Asked} asked @param {Asked[]} all that are asked together @returns {Asked} with the filter; `asked` if there is none
 */
export function ownerOf(asked, all) {
  const [name] = asked.facets;
  const filters = FILTERS[name] ?? [name];
  const wanted = sameOf(asked);
  const isOwner = (/** @type {Asked} */ each) =>
    filters.some((filter) => filter in each) && each.facets.includes(name) && sameOf(each, filters) === wanted;
  return all.find(isOwner) ?? asked;
}

/** @param {Asked} asked @param {string[]} without @returns {string} the same for what counts alike */
const sameOf = (asked, without = []) =>
  JSON.stringify(Object.entries(asked).filter(([name]) => !['facets', 'page', 'count', ...without].includes(name)).sort()); // prettier-ignore
