import { button, h } from '../shared/dom.js';
import { Refusal } from './api.js';
import { differences, shown, valueAt } from './values.js';

/** @typedef {{ etag: string, revision: number }} Read of a product, as its reply says */
/** @param {Headers} headers @returns {Read} */
export const readOf = (headers) => ({
  etag: headers.get('ETag') ?? '',
  revision: Number(headers.get('Catalog-Revision')),
});

/**
 * @typedef {object} Compared
 * @property {import('./api.js').Api} api
 * @property {number} id
 * @property {number} from the revision that the form began with; 0: the product had none
 * @property {any} mine the form's value
 * @property {import('./parts.js').Places} places of it
 * @property {(read: Read) => void} adopt saves over their version
 */

/** Changes of others since revision `from`. @param {Compared} compared @param {number} to @returns {Promise<any>} null: this key may not read it */
async function diffOf({ api, id, from }, to) {
  const first = Math.max(1, from); // the first write keeps what the load had as revision 1
  if (to <= first) return null;
  try {
    return (await api.read(`/products/${id}/revisions/${first}/diff?to=${to}`)).body;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** @param {any} diff @param {Compared} compared */
function table({ paths, patch, reverse }, { mine, places }) {
  const rows = paths.map((/** @type {string} */ path) => {
    const [before, after] = [valueAt(reverse, path), valueAt(patch, path)];
    const part = places.get(path);
    const take = button(
      { class: 'quiet', 'aria-label': `Use their ${path}` },
      () => (part?.set(after), take.remove()),
      'Use theirs',
    );
    const cells = [
      shown(before),
      h('div', {}, shown(after), part && after != null ? take : null),
      shown(valueAt(mine, path)),
    ];
    return { path, cells };
  });
  return differences('What they changed', ['Before', 'Theirs', 'Yours'], rows);
}

/**
 * Compares the form with what the product is now.
 * @param {Compared} compared
 * @returns {Promise<HTMLElement>}
 */
export async function conflict(compared) {
  const { api, id, adopt } = compared;
  const load = button({ class: 'quiet' }, () => location.reload(), 'Load their version, without my changes');
  try {
    const read = readOf((await api.read(`/products/${id}`)).headers);
    const diff = await diffOf(compared, read.revision);
    const save = button({ class: 'primary' }, () => adopt(read), 'Save mine over theirs');
    return h(
      'div',
      {},
      diff
        ? table(diff, compared)
        : h('p', {}, 'There are no revisions to compare, or this key may not read them (scope history).'),
      h('div', { class: 'actions' }, save, load),
    );
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 404)) throw error;
    const history = h('a', { href: `./?product=${id}&view=history` }, 'Its history');
    return h('p', {}, 'The product is deleted. ', history, ' can bring it back.');
  }
}
