'use strict';

const { feedOf } = require('./feed-rows');

/** The options that set a variant apart. @param {import('./feed-rows').Row} row */
const optionsOf = ({ options }) => Object.fromEntries(options.map(({ name, label }) => [name.toLowerCase(), label]));

/**
 * A row of OpenAI's product feed (developers.openai.com/commerce/specs/file-upload/products), without what is not known: the return policy, and the
 * country unless the shop names it. Nothing can be bought in a chat.
 * @param {import('./feed-rows').Row} row @param {import('./shop').Shop} shop
 */
const itemOf = (row, { profile, origin, country }) => ({
  item_id: row.id,
  title: row.title,
  description: row.description || undefined,
  url: row.link,
  brand: row.brand,
  seller_name: profile.name,
  seller_url: origin,
  image_url: row.images[0],
  additional_image_urls: row.images.length > 1 ? row.images.slice(1) : undefined,
  availability: row.availability,
  price: row.price,
  sale_price: row.salePrice || undefined,
  ...(row.hasOthers && { group_id: row.group, listing_has_variations: true, variant_dict: optionsOf(row) }),
  gtin: row.gtin || undefined,
  condition: 'new',
  product_category: row.category || undefined,
  color: row.color || undefined,
  size: row.size || undefined,
  ...(country && { target_countries: [country], store_country: country }),
  is_eligible_search: true,
  is_eligible_checkout: false,
});

/** @type {Parameters<typeof feedOf>[2]} */
const FORMAT = { textOf: (row, shop) => `${JSON.stringify(itemOf(row, shop))}\n` };

/** @param {import('./exports').Export} full @param {import('./shop').Shop} shop */
const openaiFeed = (full, shop) => feedOf(full, shop, FORMAT);

exports.openaiFeed = openaiFeed;
