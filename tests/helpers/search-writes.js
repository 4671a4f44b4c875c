'use strict';

const { buildTables, readerOf } = require('./search-index');
const { fieldsOf } = require('./search-fields');
const { randomProducts } = require('./search-products');

/** @typedef {import('./search-products').Product} Product */
/** @typedef {ReturnType<typeof import('./search-products').picking>} Random */
/** @typedef {import('../../server/search/delta/writes').Row} Row */

/** @param {Product} product @returns {import('../../server/search/delta/terms').Content} */
const contentOf = ({ name, slogan, description, category, features, styles, fields }) => ({
  name,
  slogan,
  description,
  category,
  features: features.map(({ name: feature, value }) => ({ feature, value })),
  styles: styles.map((style) => ({ name: style.name, sizes: style.skus.map(({ size }) => size) })),
  fields: fieldsOf({ styles, fields }),
});

/** @param {Product} product @returns {import('../../server/search/delta/terms').Offer} */
function offerOf({ price, onSale, styles }) {
  const stocked = styles.flatMap(({ skus }) => skus).filter(({ quantity }) => quantity > 0);
  const sizes = [...new Set(stocked.map(({ size }) => size))];
  return { price, on_sale: onSale, in_stock: sizes.length > 0, sizes };
}

/**
 * Rows that a worker reads of products that were written, beside what the load had.
 * @param {number[]} ids @param {Product[]} loaded @param {Product[]} now
 * @param {Set<string>} kept what has differed from the load: the database keeps that, also when it is as the load had it again
 * @returns {Row[]}
 */
function rowsOf(ids, loaded, now, kept) {
  const find = (/** @type {Product[]} */ products, /** @type {number} */ id) => products.find((each) => each.id === id);
  return ids.map((id) => {
    const [before, after] = [find(loaded, id), find(now, id)];
    const change = (/** @type {(product: Product) => any} */ of) => {
      const both = { before: before ? of(before) : null, after: after ? of(after) : null };
      if (!both.before || JSON.stringify(both.before) !== JSON.stringify(both.after)) kept.add(`${of.name} ${id}`);
      return kept.has(`${of.name} ${id}`) ? both : null;
    };
    return { id, content: change(contentOf), offer: change(offerOf) };
  });
}

/**
 * Some products are changed, created, deleted, created again, or only sold.
 * @param {Product[]} products in id order @param {Random} random @param {number} count of writes
 * @returns {{ products: Product[], ids: number[] }} those of now, and which were written
 */
function randomWrites(products, { below, pick, chance }, count) {
  const all = new Map(products.map((product) => [product.id, product]));
  const others = randomProducts(count, below(2 ** 30));
  const ids = new Set();
  for (const other of others) {
    const known = [...all.keys()];
    const id = known.length > 0 && chance(0.7) ? known[below(known.length)] : below(5000);
    const product = all.get(id);
    ids.add(id);
    const kind = pick(['some', 'sold', 'whole', 'deleted']);
    if (kind === 'deleted') all.delete(id);
    else if (kind === 'whole' || !product) all.set(id, { ...other, id });
    else if (kind === 'sold') all.set(id, sold(product, below));
    else all.set(id, { ...product, ...Object.fromEntries([pick(Object.entries(other).slice(1))]) });
  }
  return { products: [...all.values()].sort((a, b) => a.id - b.id), ids: [...ids] };
}

/** @param {Product} product @param {(limit: number) => number} below @returns {Product} */
const sold = (product, below) => ({
  ...product,
  styles: product.styles.map((style) => ({
    ...style,
    skus: style.skus.map((sku) => ({ ...sku, quantity: below(3) })),
  })),
});

/**
 * A catalog in memory that is written to.
 * @param {Product[]} loaded
 */
function writtenCatalog(loaded) {
  let seq = 1;
  let products = loaded;
  /** @type {Map<number, number>} the last commit of each written product */
  const commits = new Map();
  /** @type {Set<string>} */
  const kept = new Set();
  const reader = {
    ...readerOf(buildTables(loaded)),
    /** @param {string} _ @param {number} after @param {number[]} ids @param {number} limit */
    async written(_, after, ids, limit) {
      const later = [...commits].filter(([, commit]) => commit > after);
      const since = later.map(([id]) => id).sort((a, b) => a - b);
      const rows = rowsOf([...new Set([...ids, ...since.slice(0, limit)])], loaded, products, kept);
      return { loadId: 1, era: 1, seq, since, rows };
    },
    /** @param {string} _ @param {number} after */
    async gone(_, after) {
      const ids = [...commits.keys()].filter((id) => !products.some((product) => product.id === id));
      return seq > after ? { loadId: 1, era: 1, seq, ids } : null;
    },
    /** @param {string} _ @param {number[]} ids */
    names: async (_, ids) => ({ loadId: 1, names: namesOf(products, ids) }),
  };
  return {
    reader,
    get seq() {
      return seq;
    },
    get products() {
      return products;
    },
    /** @param {Random} random @param {number} count */
    write(random, count) {
      const written = randomWrites(products, random, count);
      seq += 1;
      ({ products } = written);
      for (const id of written.ids) commits.set(id, seq);
    },
    /** @param {Product[]} wanted in id order: those that the catalog has from now on */
    become(wanted) {
      const ids = new Set([...products, ...wanted].map(({ id }) => id));
      const texts = [products, wanted].map((all) => new Map(all.map((each) => [each.id, JSON.stringify(each)])));
      seq += 1;
      products = wanted;
      for (const id of ids) if (texts[0].get(id) !== texts[1].get(id)) commits.set(id, seq);
    },
  };
}

/** @param {Product[]} products @param {number[]} ids */
const namesOf = (products, ids) =>
  new Map(products.filter(({ id }) => ids.includes(id)).map(({ id, name }) => [id, name]));

module.exports = { writtenCatalog };
