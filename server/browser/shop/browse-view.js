import { changed, filtersIn, listAddress, searchOf, withoutFilters } from './address.js';
import { grid } from './card.js';
import { categoryRow } from './category-row.js';
import { chips, withoutWords } from './chips.js';
import { button, h } from '../shared/dom.js';
import { isRefused, isWithoutSearch } from './failure.js';
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
 * @property {ReturnType<typeof import('./field-menu.js').createFieldMenu>} menu
 */
/** @typedef {import('./filter-panel.js').Shown} Shown */

const FACETS = /** @type {const} */ (['category', 'price', 'size', 'on_sale', 'in_stock', 'feature']);

/** Found out by the first search; a load that has search needs a reload of the page. */
let hasSearch = true;

/** A list by one request. @param {Reading} reading @returns {Promise<() => Drawn>} draws it */
export async function loadBrowse(reading) {
  const { query, change } = reading;
  if (!hasSearch) return loadPlainList(reading);
  try {
    const { reply, fields } = await searched(reading);
    return () => drawBrowse(reply, { query, fields, change });
  } catch (error) {
    if (!isWithoutSearch(error)) throw error;
    hasSearch = false;
    return loadPlainList(reading);
  }
}

/** A refused search may name fields of an earlier load: then it is tried once with those of the latest. @param {Reading} reading */
async function searched(reading) {
  const fields = await reading.menu.read();
  try {
    return { fields, reply: await search(reading, fields) };
  } catch (error) {
    const latest = isRefused(error) && (await reading.menu.readAgain(fields));
    if (!latest) throw error;
    return { fields: latest, reply: await search(reading, latest) };
  }
}

/** @param {Reading} reading @param {import('./field-menu.js').Fields} fields */
function search({ catalog, query, signal }, fields) {
  const own = [...fields.values()].filter(({ facet }) => facet).map(({ name }) => name);
  return catalog.search({ ...searchOf(query), count: PAGE_COUNT, facets: [...FACETS, ...own], signal });
}

/** @param {URLSearchParams} query @returns {(Node | string)[]} */
function headingOf(query) {
  const text = query.get('q');
  if (text) return ['Results for “', h('bdi', {}, text), '”'];
  const categories = query.getAll('category');
  return [categories.length === 1 ? h('bdi', {}, categories[0]) : 'All products'];
}

/** @param {Shown} shown */
function sortField({ query, fields, change }) {
  const hasText = query.has('q');
  const current = query.get('sort') ?? (hasText ? 'relevance' : 'id');
  const options = sorts(hasText, fields).map(([sort, text]) =>
    h('option', { value: sort, selected: sort === current }, text),
  );
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

/** @param {SearchReply} reply @param {Shown} shown @returns {Drawn} */
function drawBrowse({ total, items, query: report, facets }, shown) {
  const { query, fields } = shown;
  const name = headingOf(query);
  const title = name.map((each) => (each instanceof Node ? each.textContent : each)).join('');
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
      heading(total, ...name),
      panelSwitch(query),
      sortField(shown),
      chips(query, fields),
    ),
    ...notices(report),
    h(
      'div',
      { class: 'browse' },
      h(
        'section',
        { id: 'filters', class: 'filters', 'aria-label': 'Filters' },
        ...filterPanel(facets, shown),
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
