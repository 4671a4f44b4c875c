/*
 * The address of a view. A list has the parameters of /search, a product `product` and perhaps `style`. So an address says what the
 * service is asked, and every view is one page for caches: /.
 */

/** @typedef {{ kind: 'browse', query: URLSearchParams } | { kind: 'product', id: string, style: string | null }} View */

const SINGLE = ['q', 'min_price', 'max_price', 'on_sale', 'in_stock', 'sort', 'page', 'facet_values'];
const FEATURE = 'feature.';
const FIELD = 'field.';

/** @param {string} name */
const isMultiple = (name) =>
  name === 'category' || name === 'size' || name.startsWith(FEATURE) || name.startsWith(FIELD);

/** Filters narrow a list, and chips show them. @param {string} name */
const isFilter = (name) => isMultiple(name) || ['min_price', 'max_price', 'on_sale', 'in_stock'].includes(name);

/** The view of an address. Parameters of others, such as those of campaigns, are ignored. @param {string} search @returns {View} */
export function viewOf(search) {
  const given = new URLSearchParams(search);
  const id = given.get('product');
  if (id !== null) return { kind: 'product', id, style: given.get('style') };
  const query = new URLSearchParams();
  for (const [name, value] of given) {
    const isNew = isMultiple(name) ? !query.has(name, value) : SINGLE.includes(name) && !query.has(name);
    if (value !== '' && isNew) query.append(name, value);
  }
  return { kind: 'browse', query };
}

/** @param {URLSearchParams} [query] @returns {string} relative, so that it works behind a prefix of a proxy */
export const listAddress = (query) => (query && query.size > 0 ? `./?${query}` : './');

/** @param {number | string} id @param {number} [style] */
export const productAddress = (id, style) =>
  `./?${new URLSearchParams({ product: String(id), ...(style === undefined ? {} : { style: String(style) }) })}`;

/** The first page of a changed list. @param {URLSearchParams} query @param {(query: URLSearchParams) => void} change */
export function changed(query, change) {
  const next = new URLSearchParams(query);
  next.delete('page');
  change(next);
  return next;
}

/** The list with a filter's value chosen, or not any more. @param {URLSearchParams} query @param {string} name @param {string} value */
export const toggled = (query, name, value) =>
  changed(query, (next) => {
    if (next.has(name, value)) next.delete(name, value);
    else if (isMultiple(name)) next.append(name, value);
    else next.set(name, value);
  });

/** The list without any filter. @param {URLSearchParams} query */
export const withoutFilters = (query) =>
  changed(query, (next) => [...next.keys()].filter(isFilter).forEach((name) => next.delete(name)));

/** The filters of a list in the order of its address. @param {URLSearchParams} query @returns {[name: string, value: string][]} */
export const filtersIn = (query) => [...query].filter(([name]) => isFilter(name));

/** @param {string} name of a facet, filter or field @returns {string} */
export function titleOf(name) {
  if (name.startsWith(FEATURE)) return name.slice(FEATURE.length);
  const words = name.replace(FIELD, '').replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * Parameters of a list, for the client. Values stay texts, which the service checks.
 * @param {URLSearchParams} query @returns {import('../../client/catalog.js').SearchParams}
 */
export const searchOf = (query) =>
  /** @type {any} */ (
    Object.fromEntries(
      [...new Set(query.keys())].map((name) => [name, isMultiple(name) ? query.getAll(name) : query.get(name)]),
    )
  );
