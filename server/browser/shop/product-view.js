import { listAddress, productAddress } from './address.js';
import { grid, price } from './card.js';
import { detailList } from './detail-list.js';
import { h } from '../shared/dom.js';
import { gallery } from './gallery.js';
import { NO_PHOTO, partsOf, styleChoice } from './style-parts.js';

/** @typedef {import('../../client/catalog.js').Product} Product */
/** @typedef {import('../../client/catalog.js').Style} Style */

/**
 * A product by one request, beside that of the menu.
 * @param {object} reading
 * @param {ReturnType<typeof import('../../client/catalog.js').createCatalog>} reading.catalog
 * @param {ReturnType<typeof import('./field-menu.js').createFieldMenu>} reading.menu
 * @param {string} reading.id @param {string | null} reading.style
 * @param {AbortSignal} reading.signal
 * @param {(href: string) => void} reading.rename gives the view another address
 * @returns {Promise<() => import('./browse-view.js').Drawn>}
 */
export async function loadProduct({ catalog, menu, id, style, signal, rename }) {
  const [product] = await Promise.all([
    catalog.product(Number(id), { include: ['offer', 'styles', 'related'], signal }),
    menu.read(), // knows the currency
  ]);
  return () => drawProduct(product, style, rename);
}

/** @param {Product} product */
const trail = ({ category, name }) =>
  h(
    'nav',
    { class: 'trail', 'aria-label': 'Breadcrumb' },
    h(
      'ol',
      {},
      h('li', {}, h('a', { href: listAddress() }, 'All products')),
      h('li', {}, h('a', { href: listAddress(new URLSearchParams({ category })), dir: 'auto' }, category)),
      h('li', { 'aria-current': 'page' }, h('bdi', {}, name)),
    ),
  );

/** @param {Product} product @param {string | null} styleId of the address @param {(href: string) => void} rename @returns {import('./browse-view.js').Drawn} */
function drawProduct(product, styleId, rename) {
  const { id, name, slogan, category, description, styles = [], related = [] } = product;
  const first =
    styles.find((each) => String(each.style_id) === styleId) ?? styles.find((each) => each['default?']) ?? styles[0];
  const pictures = h('div', {});
  const offer = h('div', { class: 'offer', 'aria-live': 'polite' });
  const details = h('div', {});
  const show = (/** @type {Style} */ style) => {
    const parts = partsOf(product, style);
    pictures.replaceChildren(parts.pictures);
    offer.replaceChildren(...parts.offer);
    details.replaceChildren(parts.details);
  };
  const choose = (/** @type {Style} */ style) => {
    show(style);
    rename(productAddress(id, style.style_id));
  };
  if (first) show(first);
  else {
    pictures.append(gallery(product, [NO_PHOTO]));
    offer.append(
      price({ price: product.default_price, original_price: product.default_price }),
      h('p', { class: 'soft' }, 'This product has no styles yet.'),
    );
    details.append(detailList(product));
  }
  const text = h(
    'div',
    { class: 'product-text' },
    h('p', { class: 'kicker', dir: 'auto' }, category),
    h('h1', { tabindex: -1, dir: 'auto' }, name),
    h('p', { class: 'slogan', dir: 'auto' }, slogan),
    first && styleChoice(product, styles, first, choose),
    offer,
    h('p', { class: 'description', dir: 'auto' }, description),
    details,
  );
  const more =
    related.length > 0 && h('section', { class: 'related' }, h('h2', {}, 'You may also like'), grid(related));
  const content = h('div', {}, trail(product), h('div', { class: 'product' }, pictures, text), more);
  return { title: name, text: name, content };
}
