'use strict';

const { QueryWord, matchesOf, union } = require('../text/matching');
const { intersect, subtract, unite } = require('../sets/set-algebra');
const { valueKey } = require('./value-key');

/** @typedef {import('../sets/ordinal-set').OrdinalSet} OrdinalSet */
/** @typedef {import('../answers/query').Query} Query */
/** @typedef {import('../query-context').QueryContext} QueryContext */

/** The filters of a query: for each name the products that pass it, and those that an excluded word removes. */
class Filters {
  #run;
  #parts;
  /** Products with an excluded word. */
  #excluded;
  /** @type {OrdinalSet} products that pass all filters */
  passed;

  /** @param {QueryContext} context @param {Map<string, OrdinalSet>} parts @param {OrdinalSet} excluded */
  constructor(context, parts, excluded) {
    this.#run = context;
    this.#parts = parts;
    this.#excluded = excluded;
    this.passed = this.apply(context.index.all, []);
  }

  /** @param {QueryContext} context @param {Query} query @param {import('../text/matching').Unit[]} excluded words */
  static async read(context, query, excluded) {
    const { index } = context;
    /** @type {Map<string, OrdinalSet>} */
    const parts = new Map();
    for (const [name, values] of Object.entries(query.filters)) {
      const facet = name === 'size' && query.inStock ? 'stock.size' : name;
      parts.set(
        name,
        await union(
          context,
          values.map((value) => ({ key: valueKey(facet, value) })),
        ),
      );
    }
    if (query.onSale) parts.set('on_sale', await context.set('f:on_sale'));
    if (query.inStock) parts.set('in_stock', await context.set('f:in_stock'));
    if (query.minPrice !== null || query.maxPrice !== null) {
      const { from, to } = index.prices.ranksWithin(query.minPrice, query.maxPrice);
      parts.set('price', index.byPrice.range(context, from, to));
    }
    const words = excluded.map((unit) => new QueryWord(index, unit));
    const without = await matchesOf(context, words, 'a', { prefix: false, forms: true, typos: false });
    return new Filters(context, parts, unite(context, without));
  }

  /** @param {string} name @returns {boolean} whether there is such a filter */
  has(name) {
    return this.#parts.has(name);
  }

  /** Those of some products that pass. @param {OrdinalSet} products @param {string[]} except names of filters that do not count */
  apply(products, except) {
    const sets = [...this.#parts].filter(([name]) => !except.includes(name)).map(([, set]) => set);
    return subtract(this.#run, intersect(this.#run, [products, ...sets]), this.#excluded);
  }
}

exports.Filters = Filters;
