'use strict';

const { serveCatalog, startService, until } = require('../helpers/app');
const { requestJson } = require('../helpers/http');
const { redisUrl } = require('../helpers/servers');
const { SHOP } = require('../helpers/shops');
const { writesOn } = require('../helpers/writes');

describe('JSON-LD of names that are markup', () => {
  const odd = '</script><script>alert("1")</script><!-- & \u2028 \u2029 ü,"@styles":[{"a":1}] $& 衣';
  const served = serveCatalog(
    `INSERT INTO {schema}.products (id, name, slogan, description, category, default_price)
       VALUES (8, $t$${odd}$t$, $t$${odd}$t$, $t$${odd}$t$, $t$${odd}$t$, 5);
     INSERT INTO {schema}.styles (id, product_id, name, original_price, sale_price, is_default)
       VALUES (8, 8, $t$${odd}$t$, 140, 99.5, true), (9, 8, 'Plain', 200, NULL, false);
     INSERT INTO {schema}.skus (id, style_id, size, quantity) VALUES (1, 8, 'M', 1), (2, 9, 'M', 2);
     INSERT INTO {schema}.photos (id, style_id, position, url, thumbnail_url) VALUES (1, 8, 1, $t$https://x/${odd}$t$, '');`,
    SHOP,
  );

  test('can stand in a script element, and reads as the product', async () => {
    const { text, body } = await requestJson(served.app.url, '/products/8?include=jsonld');
    const jsonLd = text.slice(text.indexOf(',"jsonld":') + 10, -1);
    expect(jsonLd).not.toMatch(/[<>&\u2028\u2029]/);
    const url = 'https://shop.example/p/script-script-alert-1-script-u-styles-a-1-8?a=1&b=2';
    expect(JSON.parse(jsonLd)).toEqual(body.jsonld);
    /** @param {string} price */
    const offers = (price) => ({
      '@type': 'Offer',
      price,
      priceCurrency: 'EUR',
      availability: 'https://schema.org/InStock',
      url,
    });
    const [first, second] = [`${odd}, ${odd}`, `${odd}, Plain`];
    expect(body.jsonld).toEqual({
      '@context': 'https://schema.org',
      '@type': 'ProductGroup',
      productGroupID: '8',
      name: odd,
      description: odd,
      category: odd,
      url,
      hasVariant: [
        { '@type': 'Product', productID: '8', name: first, image: [`https://x/${odd}`], offers: offers('99.50') },
        { '@type': 'Product', productID: '9', name: second, offers: offers('200.00') },
      ],
    });
  });

  test('follows a sale that changes no card', async () => {
    const variants = async () => {
      const { body } = await requestJson(served.app.url, '/products/8?include=offer,jsonld');
      expect(body.offer.in_stock).toBe(true);
      return body.jsonld.hasVariant.map((/** @type {any} */ { offers }) => offers.availability.split('/').at(-1));
    };
    expect(await variants()).toEqual(['InStock', 'InStock']);
    await writesOn(served.catalog.client).restock(8, 0);
    await until(async () => (await variants()).join() === 'OutOfStock,InStock');
  });

  test('is of a single product: a list refuses it and says so', async () => {
    for (const query of ['include=jsonld', 'include=offer,jsonld&count=1', 'ids=8&include=jsonld']) {
      const { status, body } = await requestJson(served.app.url, `/products?${query}`);
      expect([status, body.detail]).toEqual([
        400,
        'jsonld is made of one product: ask /products/:product_id?include=jsonld for it.',
      ]);
    }
    expect((await requestJson(served.app.url, '/products/9?include=jsonld')).body.type).toMatch(/:unknown-product$/);
  });
});

describe('the profile of a shop', () => {
  const shared = { REDIS_URL: redisUrl(), REDIS_KEY_PREFIX: `shop-${process.pid}:` };
  const served = serveCatalog(undefined, shared);
  const profile = { name: SHOP.SHOP_NAME, currency: 'EUR', product_url: SHOP.SHOP_PRODUCT_URL };

  test('ends /catalog, and is in no reply of a worker with other settings on the same Redis', async () => {
    const DATABASE_URL = served.catalog.dsn;
    const [euro, yen] = await Promise.all(
      ['EUR', 'JPY'].map((SHOP_CURRENCY) => startService({ DATABASE_URL, ...shared, ...SHOP, SHOP_CURRENCY })),
    );
    const { text: without } = await requestJson(served.app.url, '/catalog');
    for (let round = 0; round < 3; round += 1)
      for (const [app, currency] of /** @type {const} */ ([
        [euro, 'EUR'],
        [yen, 'JPY'],
      ])) {
        const { text } = await requestJson(app.url, '/catalog');
        expect(text).toBe(`${without.slice(0, -1)},"shop":${JSON.stringify({ ...profile, currency })}}`);
        const { body } = await requestJson(app.url, '/products/1?include=jsonld');
        expect(body.jsonld.hasVariant[0].offers.priceCurrency).toBe(currency);
      }
    expect((await requestJson(served.app.url, '/catalog')).text).toBe(without);
    for (const app of [euro, yen]) await app.close();
  });

  test('is what include=jsonld needs', async () => {
    const { status, body } = await requestJson(served.app.url, '/products/1?include=jsonld');
    expect([status, body.detail]).toEqual([
      400,
      'include=jsonld needs the profile of the shop: set SHOP_NAME, SHOP_CURRENCY and SHOP_PRODUCT_URL of the workers.',
    ]);
  });
});
