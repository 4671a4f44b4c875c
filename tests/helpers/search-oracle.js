'use strict';

const { indexedWords, fold, isNumber, isUnspaced } = require('../../server/client/words.js');
const { OracleWords, bytes, english, queried, remembered } = require('./oracle-words');

/**
 * The search of design and contract, written as plainly as possible: every product is looked at for every query. Of the server it has
 * only how texts are cut and stemmed, which tests/etl/query_oracle.py has in code of its own.
 */

/** @typedef {import('./search-products').Product} Product */
/** @typedef {import('../../server/search/answers/query').Query} Query */
/** @typedef {{ product: Product, n: string[], m: string[], a: string[] }} Document */
/** @typedef {import('./oracle-words').Word} Word @typedef {import('./oracle-words').Term} Term */
/** @typedef {{ prefix: boolean, forms: boolean, typos: boolean }} How */

const indexed = remembered(indexedWords);

const skus = (/** @type {Product} */ product) => product.styles.flatMap((style) => style.skus);
const inStock = (/** @type {Product} */ product) => skus(product).some(({ quantity }) => quantity > 0);
const cents = remembered((price) => {
  const [whole, fraction = ''] = price.split('.');
  return BigInt(whole + fraction.padEnd(6, '0'));
});

class Oracle extends OracleWords {
  /** @param {Product[]} products in id order */
  constructor(products) {
    const documents = products.map((product) => {
      const n = indexed(product.name);
      const m = [
        product.category,
        ...product.features.map(({ value }) => value ?? ''),
        ...product.styles.map(({ name }) => name),
      ];
      const named = [...n, ...m.flatMap(indexed)];
      return { product, n, m: named, a: [...named, ...indexed(product.slogan), ...indexed(product.description)] };
    });
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const { a } of documents) for (const word of new Set(a)) counts.set(word, (counts.get(word) ?? 0) + 1);
    super(counts);
    this.documents = documents;
  }

  /** @param {Word} word @param {Document} document @param {'n' | 'm' | 'a'} where @param {How} how */
  matches({ text, written, others, near, beginnings }, document, where, { prefix, forms, typos }) {
    const isMatch = (/** @type {Term} */ term, /** @type {string} */ own) => {
      if (own === term.text) return true;
      if (prefix && term.prefix && own.startsWith(term.text)) return true;
      if (forms && term.forms.includes(own)) return true;
      return typos && term === written[0] && (near.includes(own) || (prefix && beginnings.includes(own)));
    };
    const has = (/** @type {Document} */ each) =>
      [written, ...(forms ? others : [])].some((terms) =>
        terms.every((term) => each[where].some((own) => isMatch(term, own))),
      );
    const having = () => new Set(this.documents.filter(has));
    const key = [text, written, others, near, where, prefix, forms, typos];
    return this.once(key, having).has(document);
  }

  /** @param {Product} product @param {string} name @returns {string[]} its values of a facet */
  values(product, name) {
    if (name === 'category') return [product.category];
    if (name === 'size') return skus(product).map(({ size }) => size);
    if (name === 'stock.size')
      return skus(product)
        .filter(({ quantity }) => quantity > 0)
        .map(({ size }) => size);
    if (name === 'on_sale') return product.onSale ? ['true'] : [];
    if (name === 'in_stock') return inStock(product) ? ['true'] : [];
    const own = product.features.filter((feature) => `feature.${feature.name}` === name && feature.value !== null);
    return own.map(({ value }) => String(value));
  }

  /** @param {Product} product @param {Query} query @param {string[]} except */
  passes(product, query, except) {
    const { minPrice, maxPrice } = query;
    const counts = (/** @type {string} */ name) => !except.includes(name);
    if (counts('on_sale') && query.onSale && !product.onSale) return false;
    if (counts('in_stock') && query.inStock && !inStock(product)) return false;
    if (counts('price') && minPrice !== null && cents(product.price) < cents(minPrice)) return false;
    if (counts('price') && maxPrice !== null && cents(product.price) > cents(maxPrice)) return false;
    return Object.entries(query.filters).every(([name, wanted]) => {
      const own = this.values(product, name === 'size' && query.inStock ? 'stock.size' : name);
      return !counts(name) || own.some((value) => Array.from(value).length <= 200 && wanted.includes(value));
    });
  }

  /** The best tier of a document, from 1; 0: it does not have all words. @param {Document} document @param {Word[]} words @param {boolean} typos */
  tier(document, words, typos) {
    const steps = /** @type {const} */ ([['n', false], ['n', true], ['m', true], ['a', true]]); // prettier-ignore
    let tier = 0;
    for (const withTypos of typos ? [false, true] : [false]) {
      for (const [where, prefix] of steps) {
        for (const forms of [false, true]) {
          tier += 1;
          const how = { prefix, forms, typos: withTypos };
          if (words.every((word) => this.matches(word, document, where, how))) return tier;
        }
      }
    }
    return 0;
  }

  /** @param {Word[]} words @param {(product: Product) => boolean} passes @returns {{ words: Word[], ignored: string[], typos: boolean }} */
  kept(words, passes) {
    const passing = this.documents.filter(({ product }) => passes(product));
    if (passing.filter((document) => this.tier(document, words, false) > 0).length >= 24)
      return { words, ignored: [], typos: false };
    const typos = words.some(({ distance }) => distance > 0);
    if (passing.some((document) => this.tier(document, words, typos) > 0)) return { words, ignored: [], typos };
    const has = (/** @type {Document} */ document, /** @type {Word} */ word) =>
      this.matches(word, document, 'a', { prefix: true, forms: true, typos });
    const products = new Map(words.map((word) => [word, this.documents.filter((each) => has(each, word)).length]));
    const count = (/** @type {Word} */ word) => products.get(word) ?? 0;
    const number = (/** @type {Word} */ { text }) => (/^\p{N}+$/u.test(text) ? 0 : 1);
    const byWorth = [...words].reverse().sort((a, b) => count(a) - count(b) || number(a) - number(b));
    let best = passing;
    const left = byWorth.filter((word) => {
      const having = best.filter((document) => has(document, word));
      if (having.length === 0) return false;
      best = having;
      return true;
    });
    if (left.length === 0 && passing.length < this.documents.length) return this.kept(words, () => true);
    const ignored = words.filter((word) => !left.includes(word)).map(({ text }) => text);
    const some = words.filter((word) => left.includes(word));
    return { ...(some.length > 0 ? this.kept(some, passes) : { words: [], typos: false }), ignored };
  }

  /** All that a query finds. @param {Query} query */
  answer(query) {
    const tokens = query.q.split(/\s/);
    const unique = (/** @type {ReturnType<typeof queried>} */ units) =>
      units.filter(({ text }, at) => units.findIndex((other) => other.text === text) === at);
    const units = unique(queried(tokens.filter((token) => !token.startsWith('-')).join(' ')));
    const out = unique(queried(tokens.filter((token) => token.startsWith('-')).join(' '))).map((unit) =>
      this.word(unit),
    );
    const isSigns = units.length + out.length === 0 && query.q.trim() !== '';
    const isLittle = (/** @type {{ whole: string | null }} */ { whole }) => english.isLittle(String(whole));
    const deciding = units.every(isLittle) ? units : units.filter((unit) => !isLittle(unit));
    const read = deciding.slice(0, 10);
    const plain = (/** @type {(typeof units)[0] | undefined} */ unit) =>
      unit && unit.parts.length === 0 && !isUnspaced(unit.text) && !isNumber(unit.text) ? unit.text : '';
    const words = read.map((unit, at) => {
      const [before, own, after] = [plain(read[at - 1]), plain(unit), plain(read[at + 1])];
      const joined = [before && own && before + own, own && after && own + after].filter(Boolean);
      return this.word(unit, { last: at === read.length - 1, joined });
    });
    const optional = deciding === units ? [] : units.filter(isLittle).map((unit) => this.word(unit));
    const without = { prefix: false, forms: true, typos: false };
    const isAllowed = (/** @type {Document} */ document) =>
      !out.some((word) => this.matches(word, document, 'a', without));
    const allowed = new Set(this.documents.filter(isAllowed).map(({ product }) => product));
    const passes =
      (/** @type {string[]} */ except, changed = query) =>
      (/** @type {Product} */ product) =>
        allowed.has(product) && this.passes(product, changed, except);
    const kept = words.length > 0 ? this.kept(words, passes([])) : { words, ignored: [], typos: false };
    const none = isSigns || (words.length > 0 && kept.words.length === 0);
    const helped = (/** @type {Document} */ document) =>
      optional.filter((word) => this.matches(word, document, 'a', { ...without, forms: false })).length;
    const matched = none
      ? []
      : this.documents.map((document) => ({
          ...document,
          tier: words.length === 0 ? 1 : this.tier(document, kept.words, kept.typos),
          helped: helped(document),
        }));
    const texted = matched.filter(({ tier }) => tier > 0);
    const found = texted.filter(({ product }) => passes([])(product));
    const count = (/** @type {string[]} */ except, changed = query) =>
      texted.map(({ product }) => product).filter(passes(except, changed));
    const beyond = [...deciding.slice(10).map(({ text }) => text), ...(isSigns ? [fold(query.q).trim()] : [])];
    const order = query.sort ?? (units.length > 0 ? 'relevance' : 'id');
    return {
      ...kept,
      optional: optional.map(({ text }) => text),
      ignored: [...kept.ignored, ...beyond],
      found: sorted(found, order),
      count,
    };
  }
}

/** @typedef {Document & { tier: number, helped: number }} Ranked */
/** @param {Ranked[]} found @param {string} sort @returns {Product[]} */
function sorted(found, sort) {
  /** @type {Record<string, (a: Ranked, b: Ranked) => number>} */
  const orders = {
    relevance: (a, b) =>
      a.tier - b.tier || b.helped - a.helped || Number(inStock(b.product)) - Number(inStock(a.product)),
    id: () => 0,
    newest: (a, b) => b.product.id - a.product.id,
    price: (a, b) => Number(cents(a.product.price) - cents(b.product.price)),
    name: (a, b) => bytes(fold(a.product.name), fold(b.product.name)) || bytes(a.product.name, b.product.name),
  };
  const order = orders[sort.replace('-', '')];
  const products = [...found].sort((a, b) => order(a, b) || a.product.id - b.product.id).map(({ product }) => product);
  return sort.startsWith('-') ? products.reverse() : products;
}

module.exports = { Oracle, bytes, cents, inStock };
