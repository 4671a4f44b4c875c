'use strict';

/** SQL puts the styles under this key, in the place of JSON-LD (store/queries/includes.sql). No field of a shop's own can have this name. */
const STYLES = '@styles';
const PLACE = `,"${STYLES}":`;

/** A page may have the text in a script element, where `</script>` would end it; U+2028 and U+2029 end lines of scripts. */
const UNSAFE = /[<>&\u2028\u2029]/g;

/** @param {string} letter */
const escaped = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** @typedef {{ id: number, name: string, description: string, category: string, default_price: string }} Product */
/**
 * @typedef {object} Style
 * @property {number} style_id
 * @property {string} name
 * @property {string} original_price
 * @property {string | null} sale_price
 * @property {{ url: string | null }[]} photos
 * @property {Record<string, { quantity: number | null }>} skus
 */

/**
 * The product in terms of schema.org: a variant for each style, with the price and the stock of the card.
 * @param {Product} product @param {Style[]} styles @param {import('./shop').Shop} shop
 */
function productGroup(product, styles, shop) {
  const { id, name, description, category } = product;
  const url = shop.urlOf(id, name);
  const offer = (/** @type {string} */ price, /** @type {boolean} */ inStock) => ({
    '@type': 'Offer',
    price,
    priceCurrency: shop.profile.currency,
    availability: `https://schema.org/${inStock ? 'InStock' : 'OutOfStock'}`,
    url,
  });
  const variants = styles.map((style) => {
    const inStock = Object.values(style.skus).some(({ quantity }) => (quantity ?? 0) > 0);
    const image = style.photos.flatMap((photo) => photo.url ?? []);
    return {
      '@type': 'Product',
      productID: String(style.style_id),
      name: `${name}, ${style.name}`,
      ...(image.length > 0 && { image }),
      offers: offer(style.sale_price ?? style.original_price, inStock),
    };
  });
  return {
    '@context': 'https://schema.org',
    '@type': 'ProductGroup',
    productGroupID: String(id),
    name,
    description,
    category,
    url,
    hasVariant:
      variants.length > 0 ? variants : [{ '@type': 'Product', name, offers: offer(product.default_price, false) }],
  };
}

/**
 * Puts the JSON-LD into a product. This is the one place of a worker that parses replies.
 * @param {Buffer} body with the styles as its last key @param {import('./shop').Shop} shop
 */
function withJsonLd(body, shop) {
  const { [STYLES]: styles, ...product } = JSON.parse(String(body));
  const text = JSON.stringify(productGroup(product, styles, shop)).replace(UNSAFE, escaped);
  return Buffer.concat([body.subarray(0, body.indexOf(PLACE)), Buffer.from(`,"jsonld":${text}}`)]);
}

exports.withJsonLd = withJsonLd;
