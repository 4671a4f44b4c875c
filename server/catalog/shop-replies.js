'use strict';

const { withoutShop } = require('../core/errors');
const { googleFeed } = require('./google-feed');
const { openaiFeed } = require('./openai-feed');
const { Ucp } = require('./ucp');

/** Feeds of all variants, by what reads them. */
const FEEDS = Object.freeze({ google: googleFeed, openai: openaiFeed });

/** The replies about the whole catalog that need the profile of a shop. Without one, each is a 404 that says what to set. */
class ShopReplies {
  #catalog;
  #shop;
  #sitemaps;
  #ucp;

  /**
   * @param {object} parts
   * @param {import('./catalog').Catalog} parts.catalog
   * @param {import('./shop').Shop | null} parts.shop
   * @param {import('./sitemaps').Sitemaps | null} parts.sitemaps none without a shop
   */
  constructor({ catalog, shop, sitemaps }) {
    this.#catalog = catalog;
    this.#shop = shop;
    this.#sitemaps = sitemaps;
    this.#ucp = shop && new Ucp({ catalog, shop });
  }

  /** As of an export. @param {number | null} number of a file; null: the index */
  async sitemap(number) {
    if (!this.#sitemaps) throw withoutShop('Sitemaps need');
    await this.#catalog.version();
    return this.#sitemaps.begin(number);
  }

  /** As of an export. @param {keyof typeof FEEDS} name */
  async feed(name) {
    if (!this.#shop) throw withoutShop('Feeds need');
    return FEEDS[name](await this.#catalog.exported('full', 0), this.#shop);
  }

  /** The catalog as agents ask for it. */
  get ucp() {
    if (!this.#ucp) throw withoutShop('UCP needs');
    return this.#ucp;
  }
}

exports.FEEDS = FEEDS;
exports.ShopReplies = ShopReplies;
