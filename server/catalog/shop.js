'use strict';

const { createHash } = require('node:crypto');

const { fold } = require('../client/words.js');

const MAX_SLUG = 80;

/** The name of a product as a part of its address: a–z, 0–9 and hyphens between them. @param {string} name @returns {string} */
const slugOf = (name) =>
  fold(name)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_SLUG)
    .replace(/-$/, '');

/** The profile of a shop: its name, its currency, and where the pages of products are. */
class Shop {
  /** As /catalog shows it. */
  profile;
  /** Differs between profiles, for cache keys: workers of two settings may share Redis during a reload. */
  digest;

  /** The one it sells in; empty: not known. */
  country;
  /** That of its pages. */
  origin;

  /** @param {{ SHOP_NAME: string, SHOP_CURRENCY: string, SHOP_PRODUCT_URL: string, SHOP_COUNTRY?: string }} config */
  constructor({ SHOP_NAME: name, SHOP_CURRENCY: currency, SHOP_PRODUCT_URL: url, SHOP_COUNTRY: country = '' }) {
    this.country = country;
    ({ origin: this.origin } = new URL(url));
    this.profile = { name, currency, product_url: url };
    this.digest = createHash('sha256').update(JSON.stringify(this.profile)).digest('base64url');
  }

  /** The address of a product's page; a name without a letter or digit leaves no slug, and no hyphen beside it. @param {number} id @param {string} name */
  urlOf(id, name) {
    const slug = slugOf(name);
    const { product_url: template } = this.profile;
    const named = slug ? template.replaceAll('{slug}', slug) : template.replace(/\{slug\}-|-?\{slug\}/g, '');
    return named.replaceAll('{id}', String(id));
  }
}

/** @param {import('../config/config').Config} config @returns {Shop | null} null without the settings, which come together */
const shopOf = (config) => (config.SHOP_NAME ? new Shop(config) : null);

exports.Shop = Shop;
exports.shopOf = shopOf;
exports.slugOf = slugOf;
