import { button, h } from '../shared/dom.js';
import { picture } from './picture.js';
import { counted } from './written.js';

/**
 * The photos of a style: a large one, and small ones to choose it.
 * @param {Parameters<typeof picture>[0]} product with the name of the style
 * @param {import('../../client/catalog.js').Photo[]} photos at least one, whose URLs may be null
 */
export function gallery(product, photos) {
  const title = [product.name, product.style].filter(Boolean).join(', ');
  const large = h('div', { class: 'gallery-large' });
  const thumbs = photos.map((photo, index) =>
    button(
      { 'aria-label': `Photo ${index + 1} of ${photos.length}` },
      () => show(index),
      picture(product, { url: photo.thumbnail_url ?? photo.url, first: true }),
    ),
  );

  /** @param {number} index */
  function show(index) {
    const { url, thumbnail_url: small } = photos[index] ?? { url: null, thumbnail_url: null };
    large.replaceChildren(picture(product, { url: url ?? small, alt: title, first: true }));
    thumbs.forEach((thumb, at) => thumb.setAttribute('aria-current', String(at === index)));
  }
  show(0);
  const list =
    photos.length > 1 &&
    h('div', { class: 'thumbs', role: 'group', 'aria-label': counted(photos.length, 'photo') }, ...thumbs);
  return h('div', { class: 'gallery' }, large, list);
}
