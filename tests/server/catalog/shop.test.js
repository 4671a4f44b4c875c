'use strict';

const { Shop, slugOf } = require('../../../server/catalog/shop');
const { loadConfig } = require('../../../server/config/config');
const { SHOP } = require('../../helpers/shops');

test.each([
  ['Sunrise Tee', 'sunrise-tee'],
  ['  Möbel & Straße – Ørsted™ ', 'mobel-strasse-orsted'],
  ["Men's  Parka (XL)", 'men-s-parka-xl'],
  ['Court Shoe 9½', 'court-shoe-9-1-2'],
  ['ﬁne Ｗｉｄｅ ²', 'fine-wide'],
  ['Regen\u00adjacke', 'regenjacke'],
  ['İstanbul ΑΩ Tee', 'istanbul-tee'],
  ['Ελληνικά', ''],
  ['เสื้อยืด', ''],
  ['デニム 501', '501'],
  ['👕 — !', ''],
  ['</script><script>alert(1)</script>', 'script-script-alert-1-script'],
  [`${'a'.repeat(79)} b`, 'a'.repeat(79)],
  ['a'.repeat(200), 'a'.repeat(80)],
])('the slug of %j is %j', (name, slug) => expect(slugOf(name)).toBe(slug));

test.each([
  ['https://shop.example/p/{slug}-{id}', 'https://shop.example/p/red-tee-8', 'https://shop.example/p/8'],
  ['https://shop.example/{id}-{slug}.html', 'https://shop.example/8-red-tee.html', 'https://shop.example/8.html'],
  ['https://shop.example/?p={id}&n={slug}', 'https://shop.example/?p=8&n=red-tee', 'https://shop.example/?p=8&n='],
  ['https://shop.example/{id}/{id}', 'https://shop.example/8/8', 'https://shop.example/8/8'],
])('%s leads to %s, and without a slug to %s', (url, named, nameless) => {
  const shop = new Shop({ ...SHOP, SHOP_PRODUCT_URL: url });
  expect([shop.urlOf(8, 'Red Tee'), shop.urlOf(8, 'デニム')]).toEqual([named, nameless]);
});

describe('the settings of a shop', () => {
  const required = { DATABASE_URL: 'postgres://catalog_api:secret@/catalog?host=%2Frun%2Fpostgres' };
  const load = (/** @type {object} */ settings) => loadConfig({ ...required, ...settings });

  test('may all be left out, or be empty', () => {
    expect(load({ SHOP_NAME: '', SHOP_CURRENCY: '', SHOP_PRODUCT_URL: '' })).toMatchObject({ SHOP_NAME: '' });
    expect(load(SHOP)).toMatchObject(SHOP);
  });

  test.each(Object.keys(SHOP))('are refused without %s', (name) => {
    for (const value of ['', ' '])
      expect(() => load({ ...SHOP, [name]: value })).toThrow(
        new RegExp(`\n  ${name}: .*(is required too: set SHOP_NAME, SHOP_CURRENCY, SHOP_PRODUCT_URL|must be)`),
      );
    const { [name]: own } = /** @type {Record<string, string>} */ (SHOP);
    for (const other of Object.keys(SHOP).filter((each) => each !== name))
      expect(() => load({ [name]: own })).toThrow(`\n  ${other}: is required too`);
  });

  test.each(['de', 'DEU', 'QQ'])('have a country of ISO 3166, unlike %s', (SHOP_COUNTRY) => {
    expect(load({ ...SHOP, SHOP_COUNTRY: 'DE' })).toMatchObject({ SHOP_COUNTRY: 'DE' });
    expect(() => load({ ...SHOP, SHOP_COUNTRY })).toThrow(
      'SHOP_COUNTRY: must be a country of ISO 3166 in two capital letters',
    );
  });

  test.each(['eur', 'EURO', 'XYZ', '€'])('have a currency of ISO 4217, unlike %s', (SHOP_CURRENCY) => {
    expect(() => load({ ...SHOP, SHOP_CURRENCY })).toThrow(
      `SHOP_CURRENCY: must be a currency of ISO 4217 in capital letters, such as EUR, not "${SHOP_CURRENCY}"`,
    );
  });

  test.each([
    ['/p/{id}', 'must be a URL with {id}'],
    ['shop.example/p/{id}', 'must be a URL with {id}'],
    ['ftp://shop.example/{id}', 'must be a URL with {id}'],
    ['https://shop.example/{slug}', 'must be a URL with {id}'],
    ['https://shop.example/{name}-{id}', 'must be a URL with {id}'],
    ['https://shop.example/{{id}}', 'must be a URL with {id}'],
    ['https://{id}.shop.example/', 'must name one host'],
    ['https://u:pa55@shop.example/{id}', 'must name one host'],
  ])('have an address of products, unlike %s', (SHOP_PRODUCT_URL, refusal) => {
    expect(() => load({ ...SHOP, SHOP_PRODUCT_URL })).toThrow(`SHOP_PRODUCT_URL: ${refusal}`);
  });

  test('write the address as browsers do', () => {
    const SHOP_PRODUCT_URL = 'HTTPS://Shop.example:443/Möbel/{slug}-{id}?n={id}';
    expect(load({ ...SHOP, SHOP_PRODUCT_URL })).toMatchObject({
      SHOP_PRODUCT_URL: 'https://shop.example/M%C3%B6bel/{slug}-{id}?n={id}',
    });
  });
});
