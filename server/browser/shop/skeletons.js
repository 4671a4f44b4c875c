import { h } from '../shared/dom.js';

/** @param {string} name */
const bone = (name) => h('span', { class: `bone ${name}` });

/** A skeleton is shown while a view is on its way for longer than a moment. @param {'browse' | 'product'} kind */
export function skeleton(kind) {
  const hidden = { 'aria-hidden': 'true' };
  if (kind === 'product')
    return h(
      'div',
      { class: 'product', ...hidden },
      bone('bone-photo'),
      h('div', {}, ...['short', 'title', 'line', 'line'].map((name) => bone(`bone-${name}`))),
    );
  const tiles = Array.from({ length: 8 }, () =>
    h('li', { class: 'tile' }, bone('bone-photo'), bone('bone-line'), bone('bone-short')),
  );
  return h(
    'div',
    hidden,
    bone('bone-title'),
    h('div', { class: 'browse' }, h('div', { class: 'filters' }), h('ul', { class: 'grid' }, ...tiles)),
  );
}
