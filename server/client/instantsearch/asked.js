/** @typedef {import('./search-client.d.ts').SearchRequest} Request @typedef {import('./search-client.d.ts').SearchRequestParams} Params */
/** @typedef {Record<string, string | string[]>} Asked parameters of the API */
/** @typedef {{ from?: number, to?: number }} Range */

/** These would change the result, and have no answer here. */
const UNKNOWN = [
  ...['filters', 'tagFilters', 'optionalFilters', 'offset', 'length', 'distinct', 'similarQuery'],
  ...['aroundLatLng', 'aroundLatLngViaIP', 'insideBoundingBox', 'insidePolygon', 'restrictSearchableAttributes'],
];
const FLAGS = ['on_sale', 'in_stock'];
const NUMERIC = /^(.+?)\s*(<=|>=|!=|=|<|>)\s*(-?[\d.]+(?:e[+-]?\d+)?)$/i;
const DIGITS = new Intl.NumberFormat('en', { useGrouping: false, maximumSignificantDigits: 21 });

/** @param {unknown} value @returns {string[]} */
export const namesOf = (value) => (value === undefined || value === '' ? [] : /** @type {string[]} */ ([value].flat()));

/** @param {string} what @param {string} instead */
const refused = (what, instead) => new TypeError(`The catalog has no exact answer to ${what}. ${instead}`);

/**
 * Filters of InstantSearch as parameters of the API.
 * @param {Pick<import('../catalog.d.ts').Catalog, 'menu'>} catalog @param {Request[]} requests that are asked together
 */
export function createFilters(catalog, requests) {
  /** @type {ReturnType<typeof catalog.menu> | undefined} */
  let read;
  const menu = () => (read ??= catalog.menu());
  /** Names of features may have colons. The longest first. */
  const known = requests
    .flatMap(({ facet, params = {} }) => [...namesOf(params.facets), facet ?? params.facetName ?? ''])
    .filter(Boolean)
    .sort((a, b) => b.length - a.length);

  /** @param {string} filter @returns {[name: string, value: string]} */
  function facetFilterOf(filter) {
    const name = known.find((each) => filter.startsWith(`${each}:`)) ?? filter.split(':', 1)[0];
    const value = filter.slice(name.length + 1);
    if (value.startsWith('-')) throw refused(`facetFilters ${filter}`, 'Leave exclusions out.');
    return [name, value.replace(/^\\-/, '-')];
  }

  /** @param {Params} params @returns {Asked} */
  function valuesOf({ facetFilters, facets }) {
    /** @type {Asked} */
    const asked = {};
    for (const group of /** @type {(string | string[])[]} */ ([facetFilters ?? []].flat())) {
      const pairs = [group].flat().map(facetFilterOf);
      const [[name] = ['']] = pairs;
      if (pairs.some(([each]) => each !== name))
        throw refused(`facetFilters ${JSON.stringify(group)}`, 'Alternatives have one attribute.');
      if (name in asked || (typeof group === 'string' && namesOf(facets).includes(name)))
        throw refused(`the facet ${name} with all of several values`, "Use operator: 'or'.");
      const values = pairs.map(([, value]) => value);
      if (FLAGS.includes(name)) Object.assign(asked, flagOf(name, values));
      else if (name) asked[name] = values;
    }
    return asked;
  }

  /** @param {Params} params @returns {Promise<Asked>} */
  async function rangesOf({ numericFilters }) {
    /** @type {Map<string, Range>} */
    const ranges = new Map();
    for (const filter of /** @type {string[]} */ ([numericFilters ?? []].flat(2))) narrow(ranges, filter);
    for (const group of [numericFilters ?? []].flat())
      if (Array.isArray(group) && group.length > 1)
        throw refused(`numericFilters ${JSON.stringify(group)}`, 'Alternatives of numbers are no range.');
    const asked = await Promise.all([...ranges].map(([name, range]) => rangeOf(name, range)));
    return Object.assign({}, ...asked);
  }

  /** @param {string} name @param {Range} range @returns {Promise<Asked>} */
  async function rangeOf(name, { from, to }) {
    if (name === 'price')
      return {
        ...(from !== undefined && { min_price: DIGITS.format(from) }),
        ...(to !== undefined && { max_price: DIGITS.format(to) }),
      };
    const { fields = [] } = await menu();
    const isDate = fields.some((field) => field.name === name && field.type === 'date');
    const shown = (/** @type {number | undefined} */ value) =>
      value === undefined ? '' : isDate ? new Date(value).toISOString() : DIGITS.format(value);
    return { [name]: `${shown(from)}..${shown(to)}` };
  }

  return {
    /** @param {Params} params @returns {Promise<Asked>} */
    async filtersOf(params) {
      const other = UNKNOWN.find((name) => namesOf(params[name]).length > 0);
      if (other) throw refused(`the parameter ${other}`, 'Use facetFilters or numericFilters.');
      return { ...valuesOf(params), ...(await rangesOf(params)) };
    },
    /** All facets of the catalog, for `*`. */
    fieldNames: async () => (await menu()).facets.map(({ name }) => name),
  };
}

/** @param {string} name @param {string[]} values @returns {Asked} both values are no filter */
function flagOf(name, values) {
  if (values.length === 1 && values[0] !== 'true')
    throw refused(`${name}:${values[0]}`, 'A toggle has on: true, and no off.');
  return values.includes('false') ? {} : { [name]: 'true' };
}

/** @param {Map<string, Range>} ranges @param {string} filter */
function narrow(ranges, filter) {
  const [, name, operator, text] = NUMERIC.exec(filter) ?? [];
  if (!name || !['=', '<=', '>='].includes(operator))
    throw refused(`numericFilters ${filter}`, 'Use =, <= or >= and a number.');
  const [value, { from = -Infinity, to = Infinity }] = [Number(text), ranges.get(name) ?? {}];
  const low = operator === '<=' ? from : Math.max(from, value);
  const high = operator === '>=' ? to : Math.min(to, value);
  ranges.set(name, { ...(low > -Infinity && { from: low }), ...(high < Infinity && { to: high }) });
}
