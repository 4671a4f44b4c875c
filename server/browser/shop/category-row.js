import { listAddress } from './address.js';
import { h } from '../shared/dom.js';
import { picture } from './picture.js';
import { number } from './written.js';

/** So many fit on a wide screen. */
const MAX_CATEGORIES = 8;

/** The largest categories, as doors into the catalog. @param {import('../../client/catalog.js').Facet[]} facets of a reply */
export function categoryRow(facets) {
  const values = facets.flatMap((facet) => (facet.name === 'category' ? facet.values : [])).slice(0, MAX_CATEGORIES);
  if (values.length < 2) return null;
  const doors = values.map(({ value, count }, index) =>
    h(
      'li',
      {},
      h(
        'a',
        { href: listAddress(new URLSearchParams({ category: value })) },
        picture({ id: index, name: '', category: value }, { url: null }),
        h('span', { class: 'door-name', dir: 'auto' }, value),
        h('span', { class: 'count' }, number(count)),
      ),
    ),
  );
  return h('nav', { class: 'doors', 'aria-label': 'Categories' }, h('ul', {}, ...doors));
}
