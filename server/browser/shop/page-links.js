import { listAddress } from './address.js';
import { h } from '../shared/dom.js';
import { number } from './written.js';

/** Pages that are linked around the current one. */
const NEAR = 1;

/**
 * First, last, and those around the current page; 0 is a gap.
 * @param {number} page @param {number} last
 */
function numbersOf(page, last) {
  const wanted = new Set([1, last]);
  for (let near = page - NEAR; near <= page + NEAR; near += 1) if (near >= 1 && near <= last) wanted.add(near);
  const sorted = [...wanted].sort((a, b) => a - b);
  // A gap of one page is that page.
  return sorted.flatMap((each, at) => {
    const gap = each - (sorted[at - 1] ?? 0);
    return gap === 2 ? [each - 1, each] : gap > 2 ? [0, each] : [each];
  });
}

/**
 * Pages by number, at any depth.
 * @param {URLSearchParams} query @param {number} last page
 */
export function pageLinks(query, last) {
  if (last <= 1) return null;
  const page = Math.min(Number(query.get('page') ?? 1), last);
  const address = (/** @type {number} */ each) => {
    const next = new URLSearchParams(query);
    if (each === 1) next.delete('page');
    else next.set('page', String(each));
    return listAddress(next);
  };
  const step = (/** @type {string} */ text, /** @type {number} */ to, /** @type {string} */ rel) =>
    to >= 1 && to <= last && h('li', {}, h('a', { href: address(to), rel }, text));
  const numbered = numbersOf(page, last).map((each) => {
    if (each === 0) return h('li', { class: 'gap' }, '…');
    const current = each === page ? 'page' : null;
    return h(
      'li',
      {},
      h('a', { href: address(each), 'aria-current': current }, h('span', { class: 'hidden' }, 'Page '), number(each)),
    );
  });
  const items = [step('Previous', page - 1, 'prev'), ...numbered, step('Next', page + 1, 'next')];
  return h('nav', { class: 'pages', 'aria-label': 'Pages' }, h('ul', {}, ...items));
}
