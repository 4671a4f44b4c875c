'use strict';

const { english, queried, remembered } = require('./oracle-words');

/** @typedef {import('../../server/client/words.js').Unit} Unit */
/** @typedef {import('../../server/search/tuning/tuning').Content} Content */

/** The words of a text, without repeats. */
const once = remembered((text) =>
  queried(text).filter(({ text: own }, at, all) => all.findIndex((other) => other.text === own) === at),
);
const wordsOf = (/** @type {Unit} */ { whole, parts }) => (whole === null ? parts : [whole]);
const stemOf = remembered((word) => english.stemOf(word));
const stems = (/** @type {Unit[]} */ units) => units.flatMap(wordsOf).map(stemOf);
const areEqual = (/** @type {string[]} */ a, /** @type {string[]} */ b) => a.join(' ') === b.join(' ');
/** @param {Unit[]} units @returns {Unit} */
const asOne = (units) =>
  units.length > 1
    ? { text: units.map(({ text }) => text).join(' '), whole: null, parts: units.flatMap(wordsOf) }
    : units[0];

/** The tuning of a shop, written as plainly as possible: each list is walked through for each word. */
class OracleTuning {
  /** @param {Content} [content] @param {Map<number, number>} [weights] by id */
  constructor(content = {}, weights = new Map()) {
    this.content = content;
    this.weights = weights;
    /** @type {{ from: Unit[], to: Unit[] }[]} */
    this.pairs = (content.synonyms ?? []).flatMap((group) => {
      const { from, to } = Array.isArray(group) ? { from: group, to: group } : group;
      return from.flatMap((one) => to.map((other) => ({ from: once(one), to: once(other) })));
    });
  }

  /** @param {Unit} unit */
  isLittle({ whole }) {
    const has = (/** @type {string[]} */ words = []) =>
      words.some((word) => once(word).flatMap(wordsOf).includes(String(whole)));
    const { add, remove } = this.content.stopWords ?? {};
    return has(add) || (english.isLittle(String(whole)) && !has(remove));
  }

  /** @param {Unit[]} units @returns {Unit[]} */
  joined(units) {
    if (units.length === 0) return [];
    const phrases = this.pairs.map(({ from }) => from).sort((a, b) => b.length - a.length);
    const begins = phrases.find((from) => from.length > 1 && areEqual(stems(from), stems(units.slice(0, from.length))));
    const length = begins?.length ?? 1;
    return [asOne(units.slice(0, length)), ...this.joined(units.slice(length))];
  }

  /** @param {Unit} unit @returns {Unit[]} */
  synonymsOf(unit) {
    const own = this.pairs.filter(
      ({ from, to }) => areEqual(stems(from), stems([unit])) && !areEqual(stems(from), stems(to)),
    );
    return own.map(({ to }) => asOne(to));
  }

  /** The words of a text that decide. @param {Unit[]} units */
  deciding(units) {
    const some = units.filter((unit) => !this.isLittle(unit));
    return (some.length > 0 ? some : units).slice(0, 10);
  }

  /** @param {'pins' | 'bury'} name @param {import('../../server/search/answers/query').Query} query @param {Unit[]} words @returns {number[]} ids */
  placed(name, query, words) {
    const { filters, onSale, inStock, minPrice, maxPrice } = query;
    const isCategoryAlone =
      Object.keys(filters).join() === 'category' && filters.category.length === 1 && !onSale && !inStock && minPrice === null && maxPrice === null; // prettier-ignore
    const key = (/** @type {Unit[]} */ units) => units.map((unit) => stems([unit]).join(' ')).sort();
    const ids = (this.content[name] ?? []).flatMap(({ q, category, ids: own }) => {
      if (q === undefined)
        return query.q.trim() === '' && isCategoryAlone && category === filters.category[0] ? own : [];
      return words.length > 0 && areEqual(key(words), key(this.deciding(this.joined(once(q))))) ? own : [];
    });
    return [...new Set(ids)];
  }
}

module.exports = { OracleTuning, once };
