'use strict';

/**
 * The search of design and contract, written as plainly as possible: every product is looked at for every query. It shares no
 * code with the server or with the tables that stand for the loader.
 */

/** @typedef {import('./search-products').Product} Product */
/** @typedef {import('../../server/search/answers/query').Query} Query */
/** @typedef {{ product: Product, n: string[], m: string[], a: string[] }} Document */
/** @typedef {{ text: string, last: boolean, near: string[], beginnings: string[], distance: number }} Word */

const bytes = (/** @type {string} */ a, /** @type {string} */ b) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const SPECIAL = new Map(Object.entries({ ß: 'ss', ς: 'σ', ø: 'o', ł: 'l', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i' }));

/** @param {string} text */
function strip(text) {
  let out = '';
  for (const character of text.normalize('NFKD')) {
    const voiced = character === '\u3099' || character === '\u309a';
    if (voiced || !/^\p{Mn}$/u.test(character)) out += character;
  }
  return out;
}

/** @param {string} text */
function foldText(text) {
  const characters = strip(strip(text).toLowerCase()).normalize('NFC');
  return Array.from(characters, (character) => SPECIAL.get(character) ?? character).join('');
}

/** Remembers results: the same few texts come again and again. @template T @param {(text: string) => T} make @returns {(text: string) => T} */
function remembered(make) {
  /** @type {Map<string, T>} */
  const results = new Map();
  return (text) => {
    if (!results.has(text)) results.set(text, make(text));
    return /** @type {T} */ (results.get(text));
  };
}

const folded = remembered(foldText);

/** @param {string} character */
function cjk(character) {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x3005 && code <= 0x3007) return true;
  if (code >= 0x3040 && code <= 0x30ff) return true;
  if (code >= 0x31f0 && code <= 0x31ff) return true;
  if (code >= 0x3400 && code <= 0x4dbf) return true;
  if (code >= 0x4e00 && code <= 0x9fff) return true;
  if (code >= 0xac00 && code <= 0xd7af) return true;
  return (code >= 0xf900 && code <= 0xfaff) || (code >= 0x20000 && code <= 0x3ffff);
}

/** Words, where CJK stays whole. @param {string} text @returns {string[]} */
function split(text) {
  /** @type {string[]} */
  const words = [];
  let word = '';
  for (const character of `${folded(text)} `) {
    const inside = /^[\p{L}\p{N}\p{M}]$/u.test(character);
    if (word !== '' && (!inside || cjk(word) !== cjk(character))) {
      words.push(cjk(word) ? word : Array.from(word).slice(0, 64).join(''));
      word = '';
    }
    if (inside) word += character;
  }
  return words;
}

/** @param {string} text @returns {string[]} */
const indexed = (text) =>
  split(text).flatMap((word) => {
    if (!cjk(word)) return [word];
    const characters = Array.from(word);
    return [...characters, ...characters.slice(1).map((second, index) => characters[index] + second)];
  });

/** @param {string} text @returns {string[]} */
const queried = (text) =>
  split(text).flatMap((word) => {
    const characters = Array.from(word);
    if (!cjk(word) || characters.length === 1) return [word];
    return characters.slice(1).map((second, index) => characters[index] + second);
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

const skus = (/** @type {Product} */ product) => product.styles.flatMap((style) => style.skus);
const inStock = (/** @type {Product} */ product) => skus(product).some(({ quantity }) => quantity > 0);
const cents = remembered((price) => {
  const [whole, fraction = ''] = price.split('.');
  return BigInt(whole + fraction.padEnd(6, '0'));
});

class Oracle {
  /** @param {Product[]} products in id order */
  constructor(products) {
    this.documents = products.map((product) => {
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
    this.counts = new Map();
    for (const { a } of this.documents)
      for (const word of new Set(a)) this.counts.set(word, (this.counts.get(word) ?? 0) + 1);
    this.vocabulary = [...this.counts.keys()];
    /** @type {Map<string, any>} what was computed before: the same few words come again and again */
    this.memory = new Map();
  }

  /** @template T @param {unknown[]} key @param {() => T} make @returns {T} */
  once(key, make) {
    const name = JSON.stringify(key);
    if (!this.memory.has(name)) this.memory.set(name, make());
    return this.memory.get(name);
  }

  /** @param {Word} word @param {Document} document @param {'n' | 'm' | 'a'} where @param {{ prefix: boolean, typos: boolean }} how */
  matches({ text, last, near, beginnings }, document, where, { prefix, typos }) {
    const isMatch = (/** @type {string} */ own) => {
      if (own === text) return true;
      if (prefix && last && !cjk(text) && own.startsWith(text)) return true;
      return typos && (near.includes(own) || (prefix && beginnings.includes(own)));
    };
    const having = () => new Set(this.documents.filter((each) => each[where].some(isMatch)));
    return this.once([text, last, where, prefix, typos], having).has(document);
  }

  /** @param {string} text @param {boolean} last @returns {Word} */
  word(text, last) {
    const asPrefix = last && !cjk(text);
    return this.once(['word', text, last], () => ({ text, last, ...this.nearest(text, asPrefix) }));
  }

  /** @param {string} text @param {boolean} asPrefix */
  nearest(text, asPrefix) {
    const has = (/** @type {string} */ own) => own === text || (asPrefix && own.startsWith(text));
    const others = this.vocabulary.filter((own) => !has(own));
    const { length } = Array.from(text);
    const least = others.length < this.vocabulary.length ? 5 : 4; // what nothing has may lack a letter of a word of 5
    const allowed = length < least || cjk(text) || /\p{N}/u.test(text) ? 0 : length < 9 ? 1 : 2;
    if (allowed === 0) return { near: [], beginnings: [], distance: 0 };
    const measured = others.map((own) => ({ own, far: distances(own, text).map((one, at) => (Math.max(at, length) < 5 ? 99 : one)) })); // prettier-ignore
    for (let most = 1; most <= allowed; most += 1) {
      const near = measured.filter(({ far }) => Number(far.at(-1)) <= most).map(({ own }) => own);
      const begun = measured.filter(({ far }) => asPrefix && Math.min(...far) <= most).map(({ own }) => own);
      const beginnings = begun.filter((own) => !near.includes(own));
      if (near.length + beginnings.length > 0) return { near, beginnings, distance: most };
    }
    return { near: [], beginnings: [], distance: 0 };
  }

  /** The terms that a word has matched. @param {Word} word @param {boolean} typos */
  report({ text, last, near, beginnings, distance: far }, typos) {
    const byCount = (/** @type {string[]} */ terms) =>
      terms
        .map((term) => ({ term, count: this.counts.get(term) ?? 0 }))
        .sort((a, b) => b.count - a.count || bytes(a.term, b.term));
    const own = this.vocabulary.filter((term) => term === text).map((term) => ({ term }));
    const beginning = last && !cjk(text) ? byCount(this.vocabulary.filter((term) => term.startsWith(text))) : [];
    const terms = [...own, ...beginning, ...(typos ? [...byCount(near), ...byCount(beginnings)] : [])].map(
      ({ term }) => term,
    );
    return { word: text, as: [...new Set(terms)].slice(0, 50), typos: typos ? far : 0 };
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
    for (const withTypos of typos ? [false, true] : [false]) {
      for (const [index, [where, prefix]] of steps.entries()) {
        const all = words.every((word) => this.matches(word, document, where, { prefix, typos: withTypos }));
        if (all) return index + (withTypos ? 5 : 1);
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
      this.matches(word, document, 'a', { prefix: true, typos: true });
    const counts = passing.map((document) => words.filter((word) => has(document, word)).length);
    const most = Math.max(0, ...counts);
    let best = passing.filter((_, index) => counts[index] === most);
    const left = words.filter((word) => {
      const having = best.filter((document) => has(document, word));
      if (most === 0 || having.length === 0) return false;
      best = having;
      return true;
    });
    if (most === 0 && passing.length < this.documents.length) return this.kept(words, () => true);
    const ignored = words.filter((word) => !left.includes(word)).map(({ text }) => text);
    return { ...(left.length > 0 ? this.kept(left, passes) : { words: [], typos: false }), ignored };
  }

  /** All that a query finds. @param {Query} query */
  answer(query) {
    const tokens = query.q.split(/\s/);
    const texts = [...new Set(queried(tokens.filter((token) => !token.startsWith('-')).join(' ')))];
    const excluded = queried(tokens.filter((token) => token.startsWith('-')).join(' '));
    const words = texts.map((text, index) => this.word(text, index === texts.length - 1));
    const isAllowed = (/** @type {Document} */ { a }) => !excluded.some((word) => a.includes(word));
    const allowed = new Set(this.documents.filter(isAllowed).map(({ product }) => product));
    const passes =
      (/** @type {string[]} */ except, changed = query) =>
      (/** @type {Product} */ product) =>
        allowed.has(product) && this.passes(product, changed, except);
    const kept = words.length > 0 ? this.kept(words, passes([])) : { words, ignored: [], typos: false };
    const none = words.length > 0 && kept.words.length === 0;
    const matched = none
      ? []
      : this.documents.map((document) => ({ ...document, tier: this.tier(document, kept.words, kept.typos) }));
    const texted = matched.filter(({ tier }) => tier > 0);
    const found = texted.filter(({ product }) => passes([])(product));
    const count = (/** @type {string[]} */ except, changed = query) =>
      texted.map(({ product }) => product).filter(passes(except, changed));
    return { ...kept, found: sorted(found, query.sort ?? (words.length > 0 ? 'relevance' : 'id')), count };
  }
}

/** @param {(Document & { tier: number })[]} found @param {string} sort @returns {Product[]} */
function sorted(found, sort) {
  /** @type {Record<string, (a: Document & { tier: number }, b: Document & { tier: number }) => number>} */
  const orders = {
    relevance: (a, b) => a.tier - b.tier || Number(inStock(b.product)) - Number(inStock(a.product)),
    id: () => 0,
    newest: (a, b) => b.product.id - a.product.id,
    price: (a, b) => Number(cents(a.product.price) - cents(b.product.price)),
    name: (a, b) => bytes(folded(a.product.name), folded(b.product.name)) || bytes(a.product.name, b.product.name),
  };
  const order = orders[sort.replace('-', '')];
  const products = [...found].sort((a, b) => order(a, b) || a.product.id - b.product.id).map(({ product }) => product);
  return sort.startsWith('-') ? products.reverse() : products;
}

module.exports = { Oracle, bytes, cents, inStock };
