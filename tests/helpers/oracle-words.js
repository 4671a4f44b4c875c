'use strict';

const { isNumber, isUnspaced, unitsOf } = require('../../server/client/words.js');
const { Language } = require('../../server/search/text/language');

/** @typedef {import('../../server/client/words.js').Unit} Unit */
/** @typedef {{ text: string, prefix: boolean, forms: string[] }} Term */
/** @typedef {{ text: string, key: string, written: Term[], others: Term[][], apart: Term[][], near: string[], beginnings: string[], distance: number }} Word */

const english = new Language('en');
/** @type {Pick<Word, 'near' | 'beginnings' | 'distance'>} */
const NOT_NEAR = { near: [], beginnings: [], distance: 0 };

const bytes = (/** @type {string} */ a, /** @type {string} */ b) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Remembers results: the same few texts come again and again. @template T @param {(text: string) => T} make @returns {(text: string) => T} */
function remembered(make) {
  /** @type {Map<string, T>} */
  const results = new Map();
  return (text) => {
    if (!results.has(text)) results.set(text, make(text));
    return /** @type {T} */ (results.get(text));
  };
}

const stemOf = remembered((word) => english.stemOf(word));

/** Pairs of runs without spaces are words of their own. @param {string} text */
const queried = (text) =>
  unitsOf(text).flatMap((unit) => {
    if (!isUnspaced(unit.text)) return [unit];
    return unit.parts.map((pair) => ({ text: pair, whole: pair, parts: [] }));
  });

/** Optimal string alignment of each beginning of a word with another word, from the empty one. @param {string} left @param {string} right @returns {number[]} */
function distances(left, right) {
  const [a, b] = [Array.from(left), Array.from(right)];
  const table = a
    .concat('')
    .map((_, row) => b.concat('').map((__, column) => (row === 0 ? column : column === 0 ? row : 0)));
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const ways = [table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      table[i][j] = Math.min(...ways, swapped ? table[i - 2][j - 2] + 1 : Infinity);
    }
  }
  return table.map((row) => row[b.length]);
}

/** The words of a catalog that those of queries stand for, as plainly as possible. */
class OracleWords {
  /**
   * @param {Map<string, number>} counts products that have each word of the catalog
   * @param {{ synonymsOf: (unit: Unit) => Unit[] }} tuning
   */
  constructor(counts, tuning) {
    this.counts = counts;
    this.synonyms = tuning;
    this.vocabulary = [...counts.keys()];
    /** @type {Map<string, any>} what was computed before: the same few words come again and again */
    this.memory = new Map();
  }

  /** @template T @param {unknown[]} key @param {() => T} make @returns {T} */
  once(key, make) {
    const name = JSON.stringify(key);
    if (!this.memory.has(name)) this.memory.set(name, make());
    return this.memory.get(name);
  }

  /** @param {string} text @param {boolean} prefix @returns {Term} */
  term(text, prefix) {
    const isForm = (/** @type {string} */ own) => own !== text && stemOf(own) === stemOf(text);
    return { text, prefix, forms: this.once(['forms', text], () => this.vocabulary.filter(isForm)) };
  }

  /** @param {Unit} unit @param {{ last?: boolean, joined?: string[] }} [place] @returns {Word} */
  word({ text, whole, parts }, { last = false, joined = [] } = {}) {
    const prefix = last && !isUnspaced(text);
    const pieces = parts.map((part, at) => this.term(part, prefix && at === parts.length - 1));
    const written = whole === null ? pieces : [this.term(whole, prefix)];
    const others = whole !== null && parts.length > 0 ? [pieces] : [];
    others.push(...joined.map((word) => [this.term(word, false)]).filter(([term]) => this.isKnown(term)));
    for (const synonym of this.synonyms.synonymsOf({ text, whole, parts })) {
      if (synonym.whole !== null) others.push([this.term(synonym.whole, false)]);
      if (synonym.parts.length > 0) others.push(synonym.parts.map((part) => this.term(part, false)));
    }
    const isWord = parts.length === 0 && !isUnspaced(text) && !isNumber(text);
    const apart = [...others, ...(isWord ? this.halves(text) : [])];
    const isKnown = [written, ...apart].some((terms) => terms.every((term) => this.isKnown(term)));
    const nearest = isKnown || written.length > 1 ? NOT_NEAR : this.nearest(written[0].text, prefix);
    const key = JSON.stringify([text, last, joined]);
    return { text, key, written, others, apart, ...nearest };
  }

  /** The word where it may also be two. @param {Word} word @returns {Word} */
  wide(word) {
    return this.once(['wide', word.key], () => ({ ...word, key: `${word.key}, wide`, others: word.apart }));
  }

  /** @param {Term} term */
  isKnown({ text, prefix, forms }) {
    return this.counts.has(text) || forms.length > 0 || (prefix && this.vocabulary.some((own) => own.startsWith(text)));
  }

  /** @param {string} text @returns {Term[][]} */
  halves(text) {
    const cuts = Array.from(text).map((_, at) => [Array.from(text).slice(0, at), Array.from(text).slice(at)]);
    const possible = cuts.filter((halves) => halves.every((half) => half.length >= 3));
    const words = possible.map((halves) => halves.map((half) => half.join('')));
    return words
      .filter(([first]) => this.counts.has(first))
      .map((halves) => halves.map((half) => this.term(half, false)))
      .filter(([, last]) => this.isKnown(last));
  }

  /** The nearest words of one that no product has. @param {string} text @param {boolean} prefix @returns {Pick<Word, 'near' | 'beginnings' | 'distance'>} */
  nearest(text, prefix) {
    const { length } = Array.from(text);
    const allowed = length < 4 || isUnspaced(text) || /\p{N}/u.test(text) ? 0 : length < 9 ? 1 : 2;
    const others = this.vocabulary.filter((own) => Array.from(own)[0] === Array.from(text)[0]);
    return this.once(['near', text, prefix], () => {
      if (allowed === 0) return NOT_NEAR;
      const measured = others.map((own) => ({ own, far: distances(own, text).map((one, at) => (Math.max(at, length) < 5 ? 99 : one)) })); // prettier-ignore
      for (let most = 1; most <= allowed; most += 1) {
        const near = measured.filter(({ far }) => Number(far.at(-1)) <= most).map(({ own }) => own);
        const begun = measured
          .filter(({ far }) => prefix && length >= 6 && Math.min(...far) <= most)
          .map(({ own }) => own);
        const beginnings = begun.filter((own) => !near.includes(own));
        if (near.length + beginnings.length > 0) return { near, beginnings, distance: most };
      }
      return NOT_NEAR;
    });
  }

  /** The terms that a word has matched. @param {Word} word @param {boolean} typos */
  report({ text, written, others, near, beginnings, distance: far }, typos) {
    const byCount = (/** @type {string[]} */ terms) =>
      terms
        .filter((term) => this.counts.has(term))
        .sort((a, b) => (this.counts.get(b) ?? 0) - (this.counts.get(a) ?? 0) || bytes(a, b));
    const own = written.map((term) => term.text).filter((term) => this.counts.has(term));
    const beginning = written.flatMap((term) =>
      byCount(this.vocabulary.filter((each) => term.prefix && each.startsWith(term.text))),
    );
    const other = [
      ...written.flatMap(({ forms }) => forms),
      ...others.flat().flatMap((term) => [term.text, ...term.forms]),
    ];
    const terms = [
      ...own,
      ...beginning,
      ...byCount(other),
      ...(typos ? [...byCount(near), ...byCount(beginnings)] : []),
    ];
    const as = [...new Set(terms)].slice(0, 50);
    return { word: text, as, shown: as, typos: typos ? far : 0 };
  }
}

module.exports = { OracleWords, bytes, english, queried, remembered };
