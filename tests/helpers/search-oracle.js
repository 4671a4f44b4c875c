'use strict';

const { indexedWords, fold, isNumber, isUnspaced } = require('../../server/client/words.js');
const { isOrdered, isWithin, placesOf } = require('./oracle-fields');
const { OracleTuning, once } = require('./oracle-tuning');
const { FIELDS, textsOf } = require('./search-fields');
const { OracleWords, bytes, remembered } = require('./oracle-words');

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
  /** @param {Product[]} products in id order @param {InstanceType<typeof OracleTuning>} [tuning] */
  constructor(products, tuning = new OracleTuning()) {
    const documents = products.map((product) => {
      const fields = (/** @type {string} */ search) =>
        FIELDS.filter((field) => field.search === search).flatMap(({ name }) => textsOf(product, name));
      const n = [product.name, ...fields('name')].flatMap(indexed);
      const m = [
        product.category,
        ...product.features.map(({ value }) => value ?? ''),
        ...product.styles.map(({ name }) => name),
        ...fields('attribute'),
      ];
      const named = [...n, ...m.flatMap(indexed)];
      const texts = [product.slogan, product.description, ...fields('text')].flatMap(indexed);
      return { product, n, m: named, a: [...named, ...texts] };
    });
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const { a } of documents) for (const word of new Set(a)) counts.set(word, (counts.get(word) ?? 0) + 1);
    super(counts, tuning);
    this.documents = documents;
    this.tuning = tuning;
  }

  /** @param {Word} word @param {Document} document @param {'n' | 'm' | 'a'} where @param {How} how */
  matches({ key, written, others, near, beginnings }, document, where, { prefix, forms, typos }) {
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
    return this.once([key, where, prefix, forms, typos], having).has(document);
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
    if (name.startsWith('field.')) return textsOf(product, name.slice('field.'.length));
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
      if (isOrdered(name)) return !counts(name) || isWithin(product, name, wanted);
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
    const how = { prefix: true, forms: true, typos: false };
    const isRare = (/** @type {Word} */ word) =>
      this.documents.filter((document) => this.matches(word, document, 'a', how)).length < 24;
    const rare = words.map((word) => (isRare(word) ? this.wide(word) : word));
    for (const wide of [rare, words.map((word) => this.wide(word))])
      if (passing.some((document) => this.tier(document, wide, typos) > 0)) return { words: wide, ignored: [], typos };
    const has = (/** @type {Document} */ document, /** @type {Word} */ word) =>
      this.matches(this.wide(word), document, 'a', { ...how, typos });
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
    const { tuning } = this;
    const units = tuning.joined(once(tokens.filter((token) => !token.startsWith('-')).join(' ')));
    const out = once(tokens.filter((token) => token.startsWith('-')).join(' ')).map((unit) => this.word(unit));
    const isSigns = units.length + out.length === 0 && query.q.trim() !== '';
    const isLittle = tuning.isLittle.bind(tuning);
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
    const [pinned, buried] = [tuning.placed('pins', query, read), tuning.placed('bury', query, read)];
    const ranked = none ? this.documents.map((document) => ({ ...document, tier: 0, helped: 0 })) : matched;
    const texted = ranked.filter(({ tier, product }) => tier > 0 || pinned.includes(product.id));
    const found = texted.filter(({ product }) => passes([])(product));
    const count = (/** @type {string[]} */ except, changed = query) =>
      texted.map(({ product }) => product).filter(passes(except, changed));
    const beyond = [...deciding.slice(10).map(({ text }) => text), ...(isSigns ? [fold(query.q).trim()] : [])];
    const order = query.sort ?? (units.length > 0 ? 'relevance' : 'id');
    const products = sorted(found, order, tuning.weights);
    const isPlaced = query.sort === null || query.sort === 'relevance';
    return {
      ...kept,
      optional: optional.map(({ text }) => text),
      ignored: [...kept.ignored, ...beyond],
      pinned: pinned.filter((id) => found.some(({ product }) => product.id === id)),
      found: isPlaced ? placed(products, pinned, buried) : products,
      count,
    };
  }
}

/** @typedef {Document & { tier: number, helped: number }} Ranked */
/** @param {Product[]} products @param {number[]} first ids @param {number[]} last ids */
function placed(products, first, last) {
  const byPlace = (/** @type {number[]} */ ids) => ids.flatMap((id) => products.filter((product) => product.id === id));
  const [pinned, buried] = [byPlace(first), byPlace(last.filter((id) => !first.includes(id)))];
  return [...pinned, ...products.filter((each) => !pinned.includes(each) && !buried.includes(each)), ...buried];
}

/** Products without a value come last by id, both ways. @param {Ranked[]} found @param {string} sort */
function byField(found, sort) {
  const name = sort.replace(/^-/, '');
  const place = (/** @type {Product} */ product) => placesOf(product, name).at(0);
  const products = found.map(({ product }) => product);
  const having = products.filter((product) => place(product) !== undefined);
  having.sort((a, b) => Number(BigInt(place(a) ?? 0n) - BigInt(place(b) ?? 0n)) || a.id - b.id);
  if (sort.startsWith('-')) having.reverse();
  return [...having, ...products.filter((product) => place(product) === undefined).sort((a, b) => a.id - b.id)];
}

/** @param {Ranked[]} found @param {string} sort @param {Map<number, number>} weights @returns {Product[]} */
function sorted(found, sort, weights) {
  const weight = (/** @type {Ranked} */ { product }) => weights.get(product.id) ?? 0;
  /** @type {Record<string, (a: Ranked, b: Ranked) => number>} */
  const orders = {
    relevance: (a, b) =>
      a.tier - b.tier ||
      b.helped - a.helped ||
      Number(inStock(b.product)) - Number(inStock(a.product)) ||
      weight(b) - weight(a),
    id: () => 0,
    newest: (a, b) => b.product.id - a.product.id,
    price: (a, b) => Number(cents(a.product.price) - cents(b.product.price)),
    name: (a, b) => bytes(fold(a.product.name), fold(b.product.name)) || bytes(a.product.name, b.product.name),
  };
  if (sort.includes('field.')) return byField(found, sort);
  const order = orders[sort.replace('-', '')];
  const products = [...found].sort((a, b) => order(a, b) || a.product.id - b.product.id).map(({ product }) => product);
  return sort.startsWith('-') ? products.reverse() : products;
}

module.exports = { Oracle, bytes, cents, inStock };
