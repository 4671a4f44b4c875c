'use strict';

const { damaged } = require('../sets/damaged');

const TAB = 9;
const LINE_FEED = 10;
const BANDS = 10;

const DECIMAL = /^(-?)0*(\d*)(?:\.(\d*?)0*)?$/;

/**
 * A decimal in parts, without zeros around it. A number would not do: a price may have more digits than it holds.
 * @param {string} text as "140.00"
 * @returns {{ sign: number, whole: string, fraction: string }}
 */
function partsOf(text) {
  const [, minus = '', whole = '', fraction = ''] = DECIMAL.exec(text) ?? [];
  const sign = whole + fraction === '' ? 0 : minus ? -1 : 1;
  return { sign, whole, fraction };
}

/** One form for all that are equal. @param {string} text a decimal @returns {string} */
function plainDecimal(text) {
  const { sign, whole, fraction } = partsOf(text);
  return `${sign < 0 ? '-' : ''}${whole || '0'}${fraction && `.${fraction}`}`;
}

/** Which of two decimals is larger, exactly. @param {string} a @param {string} b @returns {number} below, above or 0, as for a sort */
function compareDecimals(a, b) {
  const [x, y] = [partsOf(a), partsOf(b)];
  if (x.sign !== y.sign) return x.sign - y.sign;
  const byWhole = x.whole.length - y.whole.length || compareTexts(x.whole, y.whole);
  return x.sign * (byWhole || compareTexts(x.fraction, y.fraction));
}

/** @param {string} a @param {string} b */
const compareTexts = (a, b) => (a < b ? -1 : Number(a > b));

/** The different prices of the catalog, ascending. A rank is an index of the products by price. */
class Prices {
  #body;
  /** @type {number[]} */
  #starts = [];
  /** @type {number[]} the first rank of each price */
  #firsts = [];
  #size;

  /** @param {Buffer} body lines `PRICE<TAB>first rank<LF>`, ascending @param {number} size products of the catalog */
  constructor(body, size) {
    this.#body = body;
    this.#size = size;
    for (let start = 0; start < body.length;) {
      const tab = body.indexOf(TAB, start);
      const end = body.indexOf(LINE_FEED, start);
      if (tab < 0 || end < tab) throw damaged('prices'); // else this loop would not end
      this.#starts.push(start);
      this.#firsts.push(Number(body.toString('latin1', tab + 1, end)));
      start = end + 1;
    }
  }

  /** @param {number} rank @returns {string} */
  at(rank) {
    return this.#text(this.#lineOf(rank));
  }

  /**
   * The ranks whose prices are within bounds.
   * @param {string | null} min @param {string | null} max both included; null: no bound
   * @returns {{ from: number, to: number }} `to` is behind the last
   */
  ranksWithin(min, max) {
    const from = min === null ? 0 : this.#firstThat((price) => compareDecimals(price, min) >= 0);
    const to = max === null ? this.#firsts.length : this.#firstThat((price) => compareDecimals(price, max) > 0);
    return { from: this.#firstRank(from), to: this.#firstRank(to) };
  }

  /**
   * The prices after a write.
   * @param {Map<string, number>} changes by price: products more
   */
  changed(changes) {
    const prices = [...changes].sort(([a], [b]) => compareDecimals(a, b));
    /** @type {string[]} */
    const lines = [];
    let rank = 0;
    const add = (/** @type {string} */ price, /** @type {number} */ count) => {
      if (count > 0) lines.push(`${price}\t${rank}\n`);
      rank += count;
    };
    const addUpTo = (/** @type {number} */ from, /** @type {number} */ to) => {
      for (let line = from; line < to; line += 1)
        add(this.#text(line), this.#firstRank(line + 1) - this.#firstRank(line));
    };
    let from = 0;
    for (const [price, more] of prices) {
      const line = this.#firstThat((each) => compareDecimals(each, price) >= 0);
      addUpTo(from, line);
      const isKnown = line < this.#firsts.length && compareDecimals(this.#text(line), price) === 0;
      add(price, more + (isKnown ? this.#firstRank(line + 1) - this.#firstRank(line) : 0));
      from = line + Number(isKnown);
    }
    addUpTo(from, this.#firsts.length);
    return new Prices(Buffer.from(lines.join('')), rank);
  }

  /** @returns {number[]} ranks where ten bands of about as many products begin, and the end; equal prices are in one band */
  bandEdges() {
    const deciles = Array.from({ length: BANDS }, (_, band) => Math.floor((band * this.#size) / BANDS));
    const starts = this.#size === 0 ? [] : deciles.map((rank) => this.#firsts[this.#lineOf(rank)]);
    return [...new Set([...starts, this.#size])];
  }

  /** @param {number} line */
  #text(line) {
    const start = this.#starts[line];
    return this.#body.toString('latin1', start, this.#body.indexOf(TAB, start));
  }

  /** @param {number} line @returns {number} */
  #firstRank(line) {
    return this.#firsts[line] ?? this.#size;
  }

  /** @param {number} rank */
  #lineOf(rank) {
    let [low, high] = [0, this.#firsts.length];
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if (this.#firsts[middle] <= rank) low = middle;
      else high = middle;
    }
    return low;
  }

  /** @param {(price: string) => boolean} test holds from some price on @returns {number} its line */
  #firstThat(test) {
    let [low, high] = [0, this.#firsts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (test(this.#text(middle))) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

exports.plainDecimal = plainDecimal;
exports.compareDecimals = compareDecimals;
exports.Prices = Prices;
