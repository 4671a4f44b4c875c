import { h } from '../shared/dom.js';

/** @typedef {import('./api.js').BodyError} BodyError @typedef {import('./parts.js').Part} Part */

/**
 * Says at each field what the writer finds wrong with it.
 * @param {BodyError[]} errors @param {import('./parts.js').Places} places
 * @returns {HTMLElement} all of them, each with the way to its field
 */
export function complaints(errors, places) {
  const items = errors.map(({ pointer, detail }) => {
    const part = nearest(pointer, places);
    part?.complain(detail);
    const go = h('button', { type: 'button', class: 'quiet' }, pointer || 'the product');
    go.addEventListener('click', () =>
      /** @type {HTMLElement | null} */ (part?.element.querySelector('input, textarea, button'))?.focus(),
    );
    return h('li', {}, go, ` ${detail}`);
  });
  return h('div', { class: 'trouble', role: 'alert' }, h('p', {}, 'The product was not saved:'), h('ul', {}, ...items));
}

/** @param {string} pointer @param {import('./parts.js').Places} places @returns {Part | undefined} */
function nearest(pointer, places) {
  for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/')))
    if (places.has(at) || at === '') return places.get(at);
}
