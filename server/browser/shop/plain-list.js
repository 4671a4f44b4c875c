import { grid } from './card.js';
import { h } from '../shared/dom.js';
import { pageLinks } from './page-links.js';
import { counted } from './written.js';

/** Cards of a page. */
export const PAGE_COUNT = 24;

/** @param {number} total @param {...import('../shared/dom.js').Child} title */
export const heading = (total, ...title) =>
  h(
    'div',
    { class: 'heading' },
    h('h1', { tabindex: -1 }, ...title),
    h('p', { class: 'total' }, counted(total, 'product')),
  );

/** @param {URLSearchParams} query */
function onlyPage(query) {
  const page = query.get('page');
  return new URLSearchParams(page === null ? {} : { page });
}

/**
 * The list of a catalog that was loaded without search: all products by id, and no filters.
 * @param {import('./browse-view.js').Reading} reading
 * @returns {Promise<() => import('./browse-view.js').Drawn>}
 */
export async function loadPlainList({ catalog, query, signal }) {
  const pages = onlyPage(query);
  const page = pages.has('page') ? { page: Number(pages.get('page')) } : {};
  const { items, total } = await catalog.products({ ...page, count: PAGE_COUNT, include: ['offer'], signal });
  return () => {
    const title = 'All products';
    const content = h(
      'div',
      {},
      h('div', { class: 'list-top' }, heading(total, title)),
      h(
        'p',
        { class: 'notice' },
        'This catalog was loaded without search: words, filters and orders have no effect. These are all products.',
      ),
      items.length > 0 ? grid(items) : h('p', { class: 'empty' }, 'This page is empty.'),
      pageLinks(pages, Math.max(1, Math.ceil(total / PAGE_COUNT))),
    );
    return { title, text: `${title}, ${counted(total, 'product')}`, content };
  };
}
