'use strict';

const { setImmediate: nextTurn } = require('node:timers/promises');

const { highestPrice, lowestPrice } = require('../core/money');
const { SHORT_PAGE_ROWS, LARGE_INCLUDE_ROWS } = require('../core/policy');
const { ALL } = require('./searches');
const { hasAll, ids: idOf, optionsBeside, productOf, variantsOf } = require('./ucp-products');

/** The release of the specification, and what of it is served. */
const VERSION = '2026-08-25';
const SEARCH = 'dev.ucp.shopping.catalog.search';
const LOOKUP = 'dev.ucp.shopping.catalog.lookup';
const SPEC = `https://ucp.dev/${VERSION}`;
/** Products of a reply at most: one read of these is not a long one. */
const MAX_PRODUCTS = SHORT_PAGE_ROWS / LARGE_INCLUDE_ROWS;
const MAX_ID = 2147483647;
/** A product, a style without skus, or a sku. */
const ID = /^(?:product-([1-9]\d{0,9})(?:-style-[1-9]\d{0,9})?|sku-([1-9]\d{0,9}))$/;

/** @typedef {import('./ucp-products').Product} Product @typedef {import('./ucp-products').Variant} Variant */
/** @typedef {import('./ucp-products').Selection} Selection @typedef {import('../cache/entry').Entry} Entry */
/** @typedef {{ categories: string[] | null, min: number | null, max: number | null, currency: string | null }} Filters amounts in minor units of the currency; null: not given */

/** @param {string} capability @param {'success' | 'error'} [status] */
const ucpOf = (capability, status = 'success') => ({
  version: VERSION,
  status,
  capabilities: { [capability]: [{ version: VERSION }] },
});

/** @param {string} code @param {string} content */
const info = (code, content) => ({ type: 'info', code, content });
/** @param {{ type: string }[]} messages */
const saying = (messages) => (messages.length > 0 ? { messages } : {});

/** The catalog as agents ask for it, by the Universal Commerce Protocol (ucp.dev): search and look-up, in the currency of the shop. */
class Ucp {
  /** As /.well-known/ucp shows it. */
  profile;
  limits = { products: MAX_PRODUCTS };
  /** For language models. */
  instructions;
  #catalog;
  #shop;

  /**
   * @param {object} parts
   * @param {Pick<import('./catalog').Catalog, 'search' | 'batch' | 'skus'>} parts.catalog
   * @param {import('./shop').Shop} parts.shop
   */
  constructor({ catalog, shop }) {
    this.#catalog = catalog;
    this.#shop = shop;
    const about = (/** @type {string} */ page, /** @type {string} */ schema) => ({
      version: VERSION,
      spec: `${SPEC}/specification/${page}`,
      schema: `${SPEC}/${schema}`,
    });
    const { name, currency } = shop.profile;
    this.instructions = `The catalog of ${name}. Amounts are in minor units of ${currency}.`;
    const endpoint = `${shop.origin}/ucp`;
    this.profile = {
      ucp: {
        version: VERSION,
        services: {
          'dev.ucp.shopping': [
            { ...about('overview', 'services/shopping/rest.openapi.json'), transport: 'rest', endpoint },
            {
              ...about('overview', 'services/shopping/mcp.openrpc.json'),
              transport: 'mcp',
              endpoint: `${endpoint}/mcp`,
            },
          ],
        },
        capabilities: {
          [SEARCH]: [about('shopping/catalog/search', 'schemas/shopping/catalog_search.json')],
          [LOOKUP]: [about('shopping/catalog/lookup', 'schemas/shopping/catalog_lookup.json')],
        },
        payment_handlers: {},
      },
    };
  }

  /**
   * Products that /search finds, in its order. Each product has one variant, the featured one of those in the range of prices.
   * @param {{ q: string, filters: Filters, cursor: string | null, limit: number }} wanted
   * @throws {import('../core/errors').Problem} 400: the query is too long, or the cursor is of another one
   */
  async search({ q, filters, cursor, limit }) {
    const { currency } = this.#shop.profile;
    const { categories, min, max, ignored } = this.#known(filters);
    const { total, items, next } = read(
      await this.#catalog.search({
        ...ALL,
        q,
        filters: categories ? { category: [...new Set(categories)].sort() } : {},
        minPrice: min === null ? null : lowestPrice(min, currency),
        maxPrice: max === null ? null : highestPrice(max, currency),
        count: Math.min(limit, MAX_PRODUCTS),
        after: cursor,
      }),
    );
    const products = await this.#products(items.map((/** @type {{ id: number }} */ { id }) => id));
    return {
      ucp: ucpOf(SEARCH),
      products: products.map(({ product, variants }) => {
        const featured = variants.find((variant) => isBetween(variant, min, max)) ?? variants[0];
        return { ...productOf(product, this.#shop, variants), variants: [featured] };
      }),
      pagination: { ...(next !== null && { cursor: next }), has_next_page: next !== null, total_count: total },
      ...saying(ignored),
    };
  }

  /** @param {{ ids: string[], filters: Filters }} wanted at most `limits.products` ids */
  async lookup({ ids, filters }) {
    const { categories, min, max, ignored } = this.#known(filters);
    const owners = await this.#ownersOf(ids);
    const found = await this.#products([...new Set(owners.values())]);
    const missed = new Set(ids);
    const products = found.flatMap(({ product, variants }) => {
      const featured = variants.find((variant) => isBetween(variant, min, max)) ?? variants[0];
      for (const [id, owner] of owners) {
        if (owner !== product.id) continue;
        const isProduct = id === idOf.product(product.id);
        const variant = isProduct ? featured : variants.find((one) => one.id === id);
        if (!variant) continue;
        missed.delete(id);
        (variant.inputs ??= []).push({ id, match: isProduct ? 'featured' : 'exact' });
      }
      const shown = variants.filter((variant) => variant.inputs && isBetween(variant, min, max));
      if (shown.length === 0 || !isIn(product, categories)) return [];
      return [{ ...productOf(product, this.#shop, variants), variants: shown }];
    });
    const unknown = [...missed].map((id) => info('not_found', id));
    return { ucp: ucpOf(LOOKUP), products, ...saying([...ignored, ...unknown]) };
  }

  /**
   * A product with the variants that have what is selected. Without a selection that is the one of the featured variant.
   * @param {{ id: string, selected: Selection[] | null, preferences: string[], filters: Filters }} wanted
   */
  async product({ id, selected, preferences, filters }) {
    const { categories, min, max, ignored } = this.#known(filters);
    const [owner] = (await this.#ownersOf([id])).values();
    const [found] = owner === undefined ? [] : await this.#products([owner]);
    const isProduct = found && id === idOf.product(found.product.id);
    const variant = found?.variants.find((one) => one.id === id);
    if (!found || !(isProduct || variant) || !isIn(found.product, categories)) return notFound(id);
    const { product, variants: all } = found;
    const chosen = variant ?? all[0];
    const effective = variant || !selected ? chosen.options : relaxed(all, selected, preferences);
    const variants = all
      .filter((one) => hasAll(one, effective) && isBetween(one, min, max))
      .sort((a, b) => Number(b === variant) - Number(a === variant));
    if (variants.length === 0) return notFound(id);
    const options = optionsBeside(all, effective);
    return {
      ucp: ucpOf(LOOKUP),
      product: {
        ...productOf(product, this.#shop, all),
        ...(options.length > 0 && { options, selected: effective }),
        variants,
      },
      ...saying(ignored),
    };
  }

  /** Filters as far as they can be applied: amounts of another currency cannot. @param {Filters} filters */
  #known({ categories, min, max, currency }) {
    const own = this.#shop.profile.currency;
    const known = { categories: categories?.length ? categories : null, min, max, ignored: [] };
    if (currency === null || currency === own || (min === null && max === null)) return known;
    const said = info('price_filter_ignored', `Prices are in ${own}: the filter in ${currency} is not applied.`);
    return { ...known, min: null, max: null, ignored: [said] };
  }

  /** The numbers of the products that ids belong to. @param {string[]} ids @returns {Promise<Map<string, number>>} without unknown ids */
  async #ownersOf(ids) {
    const named = [...new Set(ids)].flatMap((id) => {
      const [, product, sku] = ID.exec(id) ?? [];
      return Number(product ?? sku) <= MAX_ID ? [{ id, product: Number(product ?? 0), sku: Number(sku ?? 0) }] : [];
    });
    const skus = named.flatMap(({ sku }) => (sku > 0 ? [sku] : []));
    /** @type {({ id: number, product_id: number } | null)[]} */
    const known = skus.length > 0 ? read(await this.#catalog.skus(skus, '')) : [];
    const bySku = new Map(known.flatMap((sku) => (sku ? [[sku.id, sku.product_id]] : [])));
    const owners = named.map(({ id, product, sku }) => /** @type {const} */ ([id, product || bySku.get(sku)]));
    return new Map(owners.flatMap(([id, owner]) => (owner ? [[id, owner]] : [])));
  }

  /** @param {number[]} ids @returns {Promise<{ product: Product, variants: Variant[] }[]>} in this order, without unknown ones */
  async #products(ids) {
    if (ids.length === 0) return [];
    /** @type {(Product | null)[]} */
    const products = read(await this.#catalog.batch(ids, 'styles'));
    const { currency } = this.#shop.profile;
    const found = products.flatMap((product) =>
      product ? [{ product, variants: variantsOf(product, currency) }] : [],
    );
    await nextTurn(); // half of the work of a reply is done, so others go out between
    return found;
  }
}

/** @param {Entry} entry */
const read = (entry) => JSON.parse(entry.bytes.toString());

/** @param {Variant} variant @param {number | null} min @param {number | null} max */
const isBetween = ({ price: { amount } }, min, max) => amount >= (min ?? 0) && amount <= (max ?? Infinity);

/** @param {Product} product @param {string[] | null} categories */
const isIn = ({ category }, categories) => !categories || categories.includes(category);

/** A result, not a failure: the status of HTTP is 200. @param {string} id */
const notFound = (id) => ({
  ucp: ucpOf(LOOKUP, 'error'),
  messages: [
    {
      type: 'error',
      code: 'not_found',
      path: '$.id',
      content: `There is no such product, or its filters leave nothing: ${id}`,
      severity: 'unrecoverable',
    },
  ],
});

/**
 * The selections that some variant has, with their ids. The least preferred is given up first; one without a preference before the others.
 * @param {Variant[]} variants @param {Selection[]} selected @param {string[]} preferences
 */
function relaxed(variants, selected, preferences) {
  const placeOf = (/** @type {Selection} */ { name }) =>
    preferences.includes(name) ? preferences.indexOf(name) : preferences.length;
  const kept = [...selected].sort((a, b) => placeOf(a) - placeOf(b));
  while (!variants.some((variant) => hasAll(variant, kept))) kept.pop();
  const { options } = /** @type {Variant} */ (variants.find((variant) => hasAll(variant, kept)));
  return options.filter(({ name }) => kept.some((one) => one.name === name));
}

exports.Ucp = Ucp;
