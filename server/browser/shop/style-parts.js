import { price } from './card.js';
import { detailList } from './detail-list.js';
import { h } from '../shared/dom.js';
import { gallery } from './gallery.js';
import { picture } from './picture.js';
import { counted, number } from './written.js';

/** @typedef {import('../../client/catalog.js').Product} Product */
/** @typedef {import('../../client/catalog.js').Style} Style */

/** With fewer pieces, the page says how many are left. */
const FEW = 10;
export const NO_PHOTO = { url: null, thumbnail_url: null };

/**
 * Pieces by size. Those in stock come first, in the order of the service; a size may have several skus.
 * @param {Style} style @param {string[]} order sizes of the product that are in stock
 * @returns {[size: string, pieces: number][]}
 */
function stockOf({ skus }, order) {
  const sizes = new Map(order.map((size) => [size, -1]));
  for (const { size, quantity } of Object.values(skus))
    if (size !== null) sizes.set(size, Math.max(0, sizes.get(size) ?? 0) + (quantity ?? 0));
  return [...sizes].filter(([, pieces]) => pieces >= 0);
}

/** @param {number} pieces */
const stockText = (pieces) =>
  pieces === 0 ? 'sold out' : pieces < FEW ? `${pieces} left` : `${number(pieces)} in stock`;

/** @param {ReturnType<typeof stockOf>} sizes */
function sizeList(sizes) {
  if (sizes.length === 0) return h('p', { class: 'soft' }, 'This style lists no sizes.');
  const items = sizes.map(([size, pieces]) =>
    h(
      'li',
      { class: pieces === 0 ? 'size gone' : 'size' },
      h('b', { dir: 'auto' }, size),
      h('small', {}, stockText(pieces)),
    ),
  );
  return h('ul', { class: 'size-list' }, ...items);
}

/** The parts of a product that depend on the chosen style. @param {Product} product @param {Style} style */
export function partsOf(product, style) {
  const prices = { price: style.sale_price ?? style.original_price, original_price: style.original_price };
  const sizes = stockOf(style, product.offer?.sizes ?? []);
  const order = sizes.map(([size]) => size);
  return {
    pictures: gallery({ ...product, style: style.name }, style.photos),
    offer: [price(prices), h('h2', {}, 'Sizes'), sizeList(sizes)],
    details: detailList(product, style, order),
  };
}

/**
 * The styles as radio buttons, which the arrow keys move through.
 * @param {Product} product @param {Style[]} styles @param {Style} chosen @param {(style: Style) => void} choose
 */
export function styleChoice(product, styles, chosen, choose) {
  const name = h('span', { class: 'soft', dir: 'auto' }, chosen.name);
  const choices = styles.map((style) => {
    const input = h('input', { type: 'radio', name: 'style', value: style.style_id, checked: style === chosen });
    input.addEventListener('change', () => {
      name.textContent = style.name;
      choose(style);
    });
    const [{ thumbnail_url: url } = NO_PHOTO] = style.photos;
    return h(
      'label',
      { title: style.name },
      input,
      picture({ ...product, style: style.name }, { url, first: true }),
      h('span', { class: 'hidden' }, style.name),
    );
  });
  return h(
    'fieldset',
    { class: 'styles' },
    h('legend', {}, counted(styles.length, 'style'), ' ', name),
    h('div', {}, ...choices),
  );
}
