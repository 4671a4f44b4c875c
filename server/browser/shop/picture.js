import { h } from '../shared/dom.js';
import { drawingOf } from './drawings.js';

/** A catalog may have a misspelt scheme, which no browser loads and the page's policy reports. @param {string | null} url */
const isLoadable = (url) => url !== null && /^\s*(?:https?:)?\/\/[^/]/i.test(url);

/**
 * A picture of a product, or a drawing where the catalog has none or it does not load.
 * @param {Parameters<typeof drawingOf>[0]} product
 * @param {object} picture
 * @param {string | null} picture.url
 * @param {string} [picture.alt] empty where the text beside it says the same
 * @param {boolean} [picture.first] whether it is seen without scrolling
 */
export function picture(product, { url, alt = '', first = false }) {
  const drawn = () => (alt ? h('span', { role: 'img', 'aria-label': alt }, drawingOf(product)) : drawingOf(product));
  const frame = h('span', { class: `picture tint-${product.id % 6}` });
  if (!isLoadable(url)) {
    frame.append(drawn());
    return frame;
  }
  // The page that loads a picture is no business of the picture's host.
  const img = h('img', { alt, decoding: 'async', loading: first ? 'eager' : 'lazy', referrerpolicy: 'no-referrer' });
  [img.width, img.height] = [200, 250]; // as large as that without a style sheet
  img.addEventListener('error', () => img.replaceWith(drawn()), { once: true });
  img.src = /** @type {string} */ (url);
  frame.append(img);
  return frame;
}
