'use strict';

const { ALL_FIELDS, FIELD } = require('../../core/policy');
const { commonCounter, countCommon, haveCommon, OrdinalSet } = require('../sets/ordinal-set');
const { unite } = require('../sets/set-algebra');
const { fieldWithScale } = require('./filters');
const { fieldFacet, priceFacet } = require('./scale-facets');
const { FEATURE, valueKey } = require('./value-key');

/** @typedef {{ value: string, count: number, selected: boolean }} Value */

/** By count, descending, then by bytes. @param {Value} a @param {Value} b */
const inOrder = (a, b) => b.count - a.count || Buffer.compare(Buffer.from(a.value), Buffer.from(b.value));

const LETTER_SIZES = ['XS', 'S', 'M', 'L', 'XL', 'XXL'];
const NUMBER = /^[0-9]{1,20}([.][0-9]{1,18})?$/;

/** As cards list sizes (db/documents/card.sql): letters, numbers, other texts by bytes. @param {Value} a @param {Value} b */
function bySize({ value: a }, { value: b }) {
  const [first, second] = [a, b].map((size) => (LETTER_SIZES.includes(size) ? LETTER_SIZES.indexOf(size) : Infinity));
  if (first !== second) return first - second;
  const [number, other] = [a, b].map((size) => (NUMBER.test(size) ? Number(size) : Infinity));
  return number === other ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : number - other;
}

/** The most frequent values of a facet, those that are selected, and how many others there are. All counts are exact. */
class FacetCounts {
  #base;
  #selected;
  #limit;
  /** @type {Value[]} in order */
  values = [];
  /** Values with products that are not listed. */
  more = 0;

  /** @param {OrdinalSet} base products that are counted @param {{ selected: Set<string>, limit: number }} options */
  constructor(base, { selected, limit }) {
    this.#base = base;
    this.#selected = selected;
    this.#limit = limit;
  }

  /** `add` counts all products, and none, without sets. */
  get needSets() {
    return this.#base.count > 0 && !this.#base.isAll;
  }

  /**
   * Adds values; those with the most products first, as then most of the others need no count.
   * @param {import('../index/search-index').FacetValues} values with their products in the whole catalog
   * @param {OrdinalSet[]} sets of the values
   */
  add(values, sets) {
    const countIn = commonCounter(this.#base);
    const least = this.values[this.#limit - 1]?.count ?? 0;
    for (const [index, [value, all]] of values.entries()) {
      const selected = this.#selected.has(value);
      if (this.needSets && all < least && !selected) {
        if (haveCommon(this.#base, sets[index])) this.more += 1;
        continue;
      }
      const count = this.needSets ? countIn(sets[index]) : this.#base.isAll ? all : 0;
      if (selected || count > 0) this.values.push({ value, count, selected });
    }
    this.values.sort(inOrder);
    const counted = this.values.length;
    this.values = this.values.filter(({ selected }, index) => selected || index < this.#limit);
    this.more += counted - this.values.length;
  }
}

/** `facets=feature` is at most so many features. */
const MAX_FEATURES = 50;
/** So many values are counted at a time. Then those that cannot be among the most frequent any more are known. */
const GROUP = 100;

/** @typedef {import('./filters').Filters} Filters */
/** @typedef {import('../answers/query').Query} Query */
/** @typedef {import('../query-context').QueryContext} QueryContext */
/** @typedef {{ name: string, values: Value[], more: number } | import('./scale-facets').ScaleFacet} Facet */

/**
 * The facets of a query. Each counts the products that obey all filters but its own: the count of a value is what choosing it
 * would add.
 * @param {QueryContext} context @param {Query} query @param {Filters} filters
 * @param {import('../text/text-match').TextMatch} match products that have the words of the query
 * @returns {Promise<Facet[]>}
 */
async function readFacets(context, query, filters, { matched, found }) {
  const without = (/** @type {string} */ name) => (filters.has(name) ? filters.apply(matched, [name]) : found);
  /** @type {Facet[]} */
  const facets = [];
  for (const name of namesOf(query, context.index)) {
    await context.turn.pause();
    const field = fieldWithScale(context.index, name);
    if (name === 'price') facets.push(await priceFacet(context, without('price')));
    else if (field) facets.push(await fieldFacet(context, name, field, without(name)));
    else if (name === 'in_stock') facets.push(await inStockFacet(context, query, without(name)));
    else facets.push(await valuesFacet(context, query, name, without(name)));
  }
  return facets;
}

/** @param {Query} query @param {import('../index/search-index').SearchIndex} index @returns {Set<string>} */
function namesOf({ facets }, { facets: known, fields }) {
  const features = [...known.keys()].filter((name) => name.startsWith(FEATURE)).slice(0, MAX_FEATURES);
  const own = [...fields.values()].filter(({ facet }) => facet).map(({ name }) => FIELD + name);
  return new Set(facets.flatMap((name) => (name === 'feature' ? features : name === ALL_FIELDS ? own : [name])));
}

/** @param {QueryContext} context @param {Query} query @param {string} name @param {OrdinalSet} base @returns {Promise<Facet>} */
async function valuesFacet(context, query, name, base) {
  const facet = name === 'size' && query.inStock ? 'stock.size' : name;
  const selected = new Set(name === 'on_sale' ? (query.onSale ? ['true'] : []) : (query.filters[name] ?? []));
  const known = context.index.facets.get(facet) ?? [];
  const unknown = [...selected].filter((value) => !known.some(([each]) => each === value));
  const counts = new FacetCounts(base, { selected, limit: query.facetValues });
  for (let from = 0; from < known.length; from += GROUP) {
    const values = known.slice(from, from + GROUP);
    const giveBack = context.mark();
    const sets = counts.needSets
      ? await context.sets(values.map(([value, count]) => ({ key: valueKey(facet, value), count })))
      : [];
    counts.add(values, sets);
    giveBack();
    await context.turn.pause();
  }
  counts.add(
    unknown.map((value) => [value, 0]),
    unknown.map(() => OrdinalSet.empty(context.size)),
  );
  return { name, values: name === 'size' ? counts.values.sort(bySize) : counts.values, more: counts.more };
}

/**
 * With a size chosen, in_stock means that size in stock. So its count is that of products which have the size in stock.
 * @param {QueryContext} context @param {Query} query @param {OrdinalSet} base
 * @returns {Promise<Facet>}
 */
async function inStockFacet(context, query, base) {
  const sizes = query.filters.size;
  const keys = sizes ? sizes.map((size) => valueKey('stock.size', size)) : [valueKey('in_stock', 'true')];
  const stock = unite(context, await context.sets(keys.map((key) => ({ key }))));
  const count = countCommon(base, stock);
  const values = count > 0 || query.inStock ? [{ value: 'true', count, selected: query.inStock }] : [];
  return { name: 'in_stock', values, more: 0 };
}

exports.FacetCounts = FacetCounts;
exports.readFacets = readFacets;
