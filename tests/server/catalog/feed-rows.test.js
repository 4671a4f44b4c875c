'use strict';

const { feedOf } = require('../../../server/catalog/feed-rows');
const { Shop } = require('../../../server/catalog/shop');
const { SHOP } = require('../../helpers/shops');

const usual = { id: 1, name: 'Tee', description: '', category: 'Shirts', default_price: '1', styles: [] };
const style = {
  style_id: 2,
  name: 'Red',
  original_price: '9',
  sale_price: null,
  skus: { 3: { quantity: 1, size: 'M' } },
};

/** @param {object} product @returns {Promise<import('../../../server/catalog/feed-rows').Row[]>} */
async function rowsOf(product) {
  const full = { pieces: [Buffer.from(`${JSON.stringify({ ...usual, ...product })}\n{"end":{}}\n`)] };
  const format = { textOf: (/** @type {object} */ row) => `${JSON.stringify(row)}\n` };
  let text = '';
  for await (const piece of feedOf(/** @type {any} */ (full), new Shop(SHOP), format).pieces) text += piece;
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

test('a title has at most 150 characters and a description 5,000, none of them half', async () => {
  const [row] = await rowsOf({ name: `${'x'.repeat(149)}👕y`, description: `a\n\t b${'x'.repeat(6000)}` });
  expect([row.title, row.description]).toEqual(['x'.repeat(149), `a b${'x'.repeat(4997)}`]);
});

test('a picture whose address is none is left out', async () => {
  const urls = ['uhttps://x/1.jpg', 'https://x/2 .jpg', null, '', 'https://x/3.jpg'];
  const [row] = await rowsOf({ styles: [{ ...style, photos: urls.map((url) => ({ url })) }] });
  expect(row.images).toEqual(['https://x/3.jpg']);
});
