'use strict';

const { commonCounter, haveCommon } = require('../sets/ordinal-set');

/** @typedef {import('../sets/ordinal-set').OrdinalSet} OrdinalSet */
/** @typedef {{ value: string, count: number, selected: boolean }} Value */

/** By count, descending, then by bytes. @param {Value} a @param {Value} b */
const inOrder = (a, b) => b.count - a.count || Buffer.compare(Buffer.from(a.value), Buffer.from(b.value));

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

exports.FacetCounts = FacetCounts;
