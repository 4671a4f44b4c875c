'use strict';

const { hasScale, readRange } = require('../../core/field-range');
const { FIELD } = require('../../core/policy');
const { QueryWord, matchesOf, union } = require('../text/matching');
const { intersect, subtract, unite } = require('../sets/set-algebra');
const { valueKey } = require('./value-key');

/** @typedef {import('../sets/ordinal-set').OrdinalSet} OrdinalSet */
/** @typedef {import('../answers/query').Query} Query */
/** @typedef {import('../query-context').QueryContext} QueryContext @typedef {import('../../core/field-range').Field} Field */

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
      const field = fieldWithScale(index, name);
      parts.set(
        name,
        await (field ? inRanges(context, name, field, values) : withValues(context, query, name, values)),
      );
    }
    if (query.onSale) parts.set('on_sale', await context.set('f:on_sale'));
    if (query.inStock) parts.set('in_stock', await context.set('f:in_stock'));
    if (query.minPrice !== null || query.maxPrice !== null) {
      const scale = await context.scale('price');
      parts.set('price', scale.within(context, query.minPrice, query.maxPrice));
    }
    const words = excluded.map((unit) => new QueryWord(context, unit));
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

/** @param {QueryContext} context @param {Query} query @param {string} name @param {string[]} values */
async function withValues(context, query, name, values) {
  const facet = name === 'size' && query.inStock ? 'stock.size' : name;
  const wanted = values.map((value) => ({ key: valueKey(facet, value) }));
  return union(context, wanted);
}

/** @param {QueryContext} context @param {string} name @param {Field} field @param {string[]} values */
async function inRanges(context, name, field, values) {
  const ranges = values.map((value) => readRange(name, field.type, value));
  const scale = await context.scale(name);
  const sets = ranges.map(({ min, max }) => scale.within(context, min, max));
  return unite(context, sets);
}

/** The field of a parameter `field.NAME`, if it is a number or date that searches order. @param {import('../index/search-index').SearchIndex} index @param {string} name @returns {Field | undefined} */
function fieldWithScale({ fields }, name) {
  const field = name.startsWith(FIELD) ? fields.get(name.slice(FIELD.length)) : undefined;
  return field && hasScale(field) ? field : undefined;
}

exports.fieldWithScale = fieldWithScale;
exports.Filters = Filters;
