import { h } from '../shared/dom.js';
import { fieldsPart } from './field-parts.js';
import { checkPart, objectPart, textPart } from './parts.js';
import { rowsPart } from './row-list.js';

/** @typedef {import('./parts.js').Part} Part @typedef {import('./field-parts.js').Declared} Declared */

/** A text that is no number goes to the writer as it is: the writer says what is wrong. @param {string} text */
const integer = (text) => (/^\d{1,15}$/.test(text) ? Number(text) : text);

/** @param {string} text */
const unlessEmpty = (text) => (text === '' ? null : text);

/** A price is text: a number would be rounded. @param {string} label @param {string | null} value @param {boolean} [optional] */
const pricePart = (label, value, optional = false) =>
  textPart(label, value, {
    keys: 'decimal',
    ...(optional && { hint: 'Empty: none', value: unlessEmpty }),
  });

/** @param {{ feature: string, value: string | null }} feature */
const featurePart = ({ feature, value }) =>
  objectPart({
    feature: textPart('Feature', feature),
    value: textPart('Value', value, { value: (text) => (text === '' && value !== '' ? null : text) }),
  });

/** @param {{ thumbnail_url: string, url: string }} photo */
function photoPart({ thumbnail_url: thumbnail, url }) {
  const preview = h('img', { class: 'preview', alt: '', loading: 'lazy' });
  const show = (/** @type {string} */ address) => {
    preview.hidden = !/^https?:/i.test(address);
    if (!preview.hidden) preview.src = address;
  };
  preview.addEventListener('error', () => void (preview.hidden = true));
  show(thumbnail);
  const part = objectPart({
    thumbnail_url: textPart('Thumbnail URL', thumbnail, { keys: 'url' }),
    url: textPart('URL', url, { keys: 'url' }),
  });
  part.element.prepend(preview);
  part.element
    .querySelector('input')
    ?.addEventListener('change', ({ target }) => show(/** @type {HTMLInputElement} */ (target).value));
  return part;
}

/** @param {string} key */
const isNew = (key) => key.startsWith('new');

/** Quantities are not content, so only a new sku has one. @param {any} sku @param {string} key @param {Declared} declared */
const skuPart = ({ size, quantity, fields }, key, declared) =>
  objectPart({
    size: textPart(isNew(key) ? 'Size of a new sku' : `Size of sku ${key}`, size),
    ...(isNew(key) && {
      quantity: textPart('Quantity', quantity, {
        keys: 'numeric',
        value: (text) => (text === '' ? undefined : integer(text)),
      }),
    }),
    ...fieldsPart(declared.skus, fields),
  });

/** @param {any} style @param {string} key @param {Declared} declared */
function stylePart(style, key, declared) {
  const part = objectPart({
    name: textPart('Name', style.name),
    original_price: pricePart('Price', style.original_price),
    sale_price: pricePart('Sale price', style.sale_price, true),
    'default?': checkPart('Default style', style['default?']),
    ...fieldsPart(declared.styles, style.fields, 'h4'),
    photos: rowsPart(
      {
        title: 'Photos',
        level: 'h4',
        one: 'photo',
        make: photoPart,
        blank: { thumbnail_url: '', url: '' },
        isMap: false,
      },
      style.photos,
    ),
    skus: rowsPart(
      {
        title: 'Skus',
        level: 'h4',
        one: 'sku',
        make: (sku, key) => skuPart(sku, key, declared),
        blank: { size: '' },
        isMap: true,
      },
      style.skus,
    ),
  });
  part.element.prepend(h('h3', {}, isNew(key) ? 'New style' : `Style ${key}`));
  return part;
}

const BLANK_STYLE = { name: '', original_price: '', sale_price: null, 'default?': false, photos: [], skus: {} };

export const BLANK_PRODUCT = {
  name: '',
  slogan: '',
  description: '',
  category: '',
  default_price: '',
  features: [],
  related: [],
  styles: {},
};

/** @param {any} product @param {Declared} declared fields @returns {Part} */
export const productPart = (product, declared) =>
  objectPart({
    name: textPart('Name', product.name),
    slogan: textPart('Slogan', product.slogan, { rows: 2 }),
    description: textPart('Description', product.description, { rows: 5 }),
    category: textPart('Category', product.category),
    default_price: pricePart('Default price', product.default_price),
    ...fieldsPart(declared.products, product.fields, 'h2'),
    features: rowsPart(
      {
        title: 'Features',
        level: 'h2',
        one: 'feature',
        make: featurePart,
        blank: { feature: '', value: null },
        isMap: false,
      },
      product.features,
    ),
    related: rowsPart(
      {
        title: 'Related products',
        level: 'h2',
        one: 'related product',
        blank: '',
        isMap: false,
        make: (id) => textPart('Product id', id, { keys: 'numeric', value: integer }),
      },
      product.related,
    ),
    styles: rowsPart(
      {
        title: 'Styles',
        level: 'h2',
        one: 'style',
        make: (style, key) => stylePart(style, key, declared),
        blank: BLANK_STYLE,
        isMap: true,
      },
      product.styles,
    ),
  });
