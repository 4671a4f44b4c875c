'use strict';

/** The profile of a shop, as settings of a worker. */
const SHOP = {
  SHOP_NAME: 'Änne & Söhne',
  SHOP_CURRENCY: 'EUR',
  SHOP_PRODUCT_URL: 'https://shop.example/p/{slug}-{id}?a=1&b=2',
};

module.exports = { SHOP };
