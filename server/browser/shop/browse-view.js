import { changed, filtersIn, listAddress, searchOf, withoutFilters } from './address.js';
import { grid } from './card.js';
import { categoryRow } from './category-row.js';
import { chips, withoutWords } from './chips.js';
import { button, h } from '../shared/dom.js';
import { isWithoutSearch } from './failure.js';
import { filterPanel } from './filter-panel.js';
import { notices } from './notices.js';
import { pageLinks } from './page-links.js';
import { PAGE_COUNT, heading, loadPlainList } from './plain-list.js';
import { counted, sorts } from './written.js';

/** @typedef {import('../../client/catalog.js').SearchReply} SearchReply */
/** @typedef {{ title: string, text: string, content: HTMLElement }} Drawn text: what a screen reader announces */
/** @typedef {object} Reading
 * @property {ReturnType<typeof import('../../client/catalog.js').createCatalog>} catalog
 * @property {URLSearchParams} query
 * @property {AbortSignal} signal
 * @property {import('./filter-panel.js').Change} change
 */

const FACETS = /** @type {const} */ (['category', 'price', 'size', 'on_sale', 'in_stock', 'feature']);

/** Found out by the first search; a load that has search needs a reload of the page. */
let hasSearch = true;

/** A list by one request. @param {Reading} reading @returns {Promise<() => Drawn>} draws it */
export async function loadBrowse(reading) {
  const { catalog, query, signal, change } = reading;
  if (!hasSearch) return loadPlainList(reading);
  try {
    const reply = await catalog.search({ ...searchOf(query), count: PAGE_COUNT, facets: FACETS, signal });
    return () => drawBrowse(reply, query, change);
  } catch (error) {
    if (!isWithoutSearch(error)) throw error;
    hasSearch = false;
    return loadPlainList(reading);
  }
}

/** @param {URLSearchParams} query @returns {(Node | string)[]} */
function headingOf(query) {
  const text = query.get('q');
  if (text) return ['Results for “', h('bdi', {}, text), '”'];
  const categories = query.getAll('category');
  return [categories.length === 1 ? h('bdi', {}, categories[0]) : 'All products'];
}

/** @param {URLSearchParams} query @param {import('./filter-panel.js').Change} change */
function sortField(query, change) {
  const hasText = query.has('q');
  const current = query.get('sort') ?? (hasText ? 'relevance' : 'id');
  const options = sorts(hasText).map(([sort, text]) => h('option', { value: sort, selected: sort === current }, text));
  const select = h('select', { id: 'sort' }, ...options);
  select.addEventListener('change', () =>
    change((latest) => changed(latest, (next) => next.set('sort', select.value))),
  );
  return h('label', { class: 'sort' }, h('span', {}, 'Sort by'), select);
}

/** A phone shows this button instead of the panel, until it is opened. @param {URLSearchParams} query */
function panelSwitch(query) {
  const chosen = filtersIn(query).length;
  const { classList } = document.body;
  const toggle = button(
    { id: 'panel-switch', class: 'panel-switch', 'aria-controls': 'filters' },
    () => {
      classList.toggle('panel-open');
      toggle.ariaExpanded = String(classList.contains('panel-open'));
    },
    chosen > 0 ? `Filters (${chosen})` : 'Filters',
  );
  toggle.ariaExpanded = String(classList.contains('panel-open'));
  return toggle;
}

/** An empty list, with a way on. @param {URLSearchParams} query @param {number} total @param {number} last page */
function nothing(query, total, last) {
  const link = (/** @type {URLSearchParams} */ to, /** @type {string} */ text) =>
    h('a', { class: 'button', href: listAddress(to) }, text);
  if (total > 0) {
    const toLast = new URLSearchParams(query);
    toLast.set('page', String(last));
    return h(
      'div',
      { class: 'empty' },
      h('p', {}, `This list has ${counted(last, 'page')}.`),
      link(toLast, 'Go to the last page'),
    );
  }
  return h(
    'div',
    { class: 'empty' },
    h('p', {}, 'No product matches.'),
    filtersIn(query).length > 0 && link(withoutFilters(query), 'Remove all filters'),
    query.has('q') && link(withoutWords(query), 'Remove the words'),
  );
}

/** @param {SearchReply} reply @param {URLSearchParams} query @param {import('./filter-panel.js').Change} change @returns {Drawn} */
function drawBrowse({ total, items, query: report, facets }, query, change) {
  const shown = headingOf(query);
  const title = shown.map((each) => (each instanceof Node ? each.textContent : each)).join('');
  const last = Math.max(1, Math.ceil(total / PAGE_COUNT));
  const isHome = query.size === 0;
  const closePanel = button(
    { class: 'primary panel-close' },
    () => {
      document.body.classList.remove('panel-open');
      document.getElementById('panel-switch')?.focus();
    },
    `Show ${counted(total, 'product')}`,
  );
  const content = h(
    'div',
    {},
    isHome && categoryRow(facets),
    h(
      'div',
      { class: 'list-top' },
      heading(total, ...shown),
      panelSwitch(query),
      sortField(query, change),
      chips(query),
    ),
    ...notices(report),
    h(
      'div',
      { class: 'browse' },
      h(
        'section',
        { id: 'filters', class: 'filters', 'aria-label': 'Filters' },
        ...filterPanel(facets, query, change),
        closePanel,
      ),
      h(
        'section',
        { class: 'results', 'aria-label': 'Products' },
        items.length > 0 ? grid(items, { words: report.words }) : nothing(query, total, last),
        pageLinks(query, last),
      ),
    ),
  );
  return { title, text: `${title}, ${counted(total, 'product')}`, content };
}
