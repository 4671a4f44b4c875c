'use strict';

const { union, wordSet } = require('../text/matching');
const { intersect, subtract } = require('../sets/set-algebra');
const { valueKey } = require('./value-key');

/** @typedef {import('../sets/position-set').PositionSet} PositionSet */
/** @typedef {import('../answers/query').Query} Query */
/** @typedef {import('../query-context').Work} Work */

/** The filters of a query: for each name the products that pass it, and those that an excluded word removes. */
class Filters {
  #work;
  #parts;
  /** Products with an excluded word. */
  #excluded;
  /** @type {PositionSet} products that pass all filters */
  passed;

  /** @param {Work} work @param {Map<string, PositionSet>} parts @param {PositionSet} excluded */
  constructor(work, parts, excluded) {
    this.#work = work;
    this.#parts = parts;
    this.#excluded = excluded;
    this.passed = this.apply(work.index.all, []);
  }

  /** @param {Work} work @param {Query} query @param {string[]} excluded words */
  static async read(work, query, excluded) {
    const { index } = work;
    /** @type {Map<string, PositionSet>} */
    const parts = new Map();
    for (const [name, values] of Object.entries(query.filters)) {
      const facet = name === 'size' && query.inStock ? 'stock.size' : name;
      parts.set(
        name,
        await union(
          work,
          values.map((value) => ({ key: valueKey(facet, value) })),
        ),
      );
    }
    if (query.onSale) parts.set('on_sale', await work.set('f:on_sale'));
    if (query.inStock) parts.set('in_stock', await work.set('f:in_stock'));
    if (query.minPrice !== null || query.maxPrice !== null) {
      const { from, to } = index.prices.ranksWithin(query.minPrice, query.maxPrice);
      parts.set('price', index.byPrice.range(work, from, to));
    }
    const found = excluded.map((word) => index.dictionary.find(word)).filter((word) => word >= 0);
    const without = await union(
      work,
      found.map((word) => wordSet(index.dictionary, 'a', word)),
    );
    return new Filters(work, parts, without);
  }

  /** @param {string} name @returns {boolean} whether there is such a filter */
  has(name) {
    return this.#parts.has(name);
  }

  /** Those of some products that pass. @param {PositionSet} products @param {string[]} except names of filters that do not count */
  apply(products, except) {
    const sets = [...this.#parts].filter(([name]) => !except.includes(name)).map(([, set]) => set);
    return subtract(this.#work, intersect(this.#work, [products, ...sets]), this.#excluded);
  }
}

exports.Filters = Filters;
