import { button, h } from '../shared/dom.js';
import { Refusal, reasonOf } from './api.js';
import { textPart } from './parts.js';
import { differences, shown, time, trouble, valueAt, who } from './values.js';

/** @typedef {import('./main.js').View} View @typedef {import('./main.js').Shown} Shown */
/** @typedef {{ revision: number, kind: string, at: string, load_id: number, actor: string | null, on_behalf: string | null, reason: string | null, paths: string[] }} Head */

/** @param {View & { id: number }} view @param {number} revision */
async function asItWas({ api, id }, revision) {
  const { body } = await api.read(`/products/${id}/revisions/${revision}`);
  const title = `The product at revision ${revision}`;
  if (!body.content) return h('p', {}, `Revision ${revision} is a deletion.`);
  const rows = Object.entries(body.content).map(([name, value]) => ({ path: name, cells: [shown(value)] }));
  return differences(title, ['Value'], rows);
}

/** @param {View & { id: number }} view @param {number} from @param {number} to */
async function compared({ api, id }, from, to) {
  const { body } = await api.read(`/products/${id}/revisions/${from}/diff?to=${to}`);
  const rows = body.paths.map((/** @type {string} */ path) => ({
    path,
    cells: [shown(valueAt(body.reverse, path)), shown(valueAt(body.patch, path))],
  }));
  const caption = `From revision ${from} to ${to}`;
  return rows.length > 0
    ? differences(caption, [`Revision ${from}`, `Revision ${to}`], rows)
    : h('p', {}, `Revisions ${from} and ${to} have the same content.`);
}

/** @param {View & { id: number }} view @param {number} to */
async function rollBack({ api, id }, to, /** @type {string} */ reason) {
  const precondition = await api.read(`/products/${id}`).then(
    ({ headers }) => ({ 'If-Match': headers.get('ETag') ?? '' }),
    (error) => {
      if (error instanceof Refusal && error.status === 404) return { 'If-None-Match': '*' };
      throw error;
    },
  );
  await api.send('POST', `/products/${id}/rollback`, {
    body: { to, reason },
    headers: /** @type {any} */ (precondition),
  });
  location.reload();
}

/** @param {View & { id: number }} view @param {number} to @param {(error: unknown) => void} fail */
function rollbackForm(view, to, fail) {
  const reason = textPart('Reason', '', { hint: 'Stands in the history.' });
  const form = h(
    'form',
    { class: 'narrow' },
    h('h2', {}, `Roll back to revision ${to}`),
    h('p', {}, 'This makes a new revision with the content of that one. Quantities stay.'),
    reason.element,
    h('button', { class: 'primary' }, 'Roll back'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = reason.read('', new Map()).trim();
    reason.complain(text ? '' : 'Write why: others read it in the history.');
    if (text) rollBack(view, to, text).catch(fail);
  });
  return form;
}

/** @param {Head} head @param {HTMLElement} actions */
const entry = (head, actions) =>
  h(
    'li',
    { class: 'revision' },
    h(
      'p',
      {},
      h('b', {}, `${head.revision}`),
      ` ${head.kind === 'load' ? `load ${head.load_id}` : `${head.kind}, ${who(head)}`}, `,
      time(head.at),
    ),
    head.reason && h('p', { class: 'soft' }, `“${head.reason}”`),
    head.paths.length > 0 &&
      h('p', { class: 'paths' }, head.paths.map((path) => path || 'the whole product').join(', ')),
    actions,
  );

/** A product that nobody has written. @param {unknown} error */
function ofNone(error) {
  if (error instanceof Refusal && error.slug === 'unknown-product') return { body: { revisions: [], before: null } };
  throw error;
}

/** @param {View & { id: number }} view @returns {Promise<Shown>} */
export async function historyView(view) {
  const { id, api } = view;
  const detail = h('div', { class: 'detail', 'aria-live': 'polite', tabindex: -1 });
  const list = h('ol', { class: 'revisions' });
  /** @param {Promise<HTMLElement>} coming */
  const show = (coming) =>
    void coming.then(
      (element) => (
        detail.replaceChildren(element),
        detail.focus({ preventScroll: true }),
        detail.scrollIntoView({ block: 'nearest' })
      ),
      fail,
    );
  const fail = (/** @type {unknown} */ error) =>
    detail.replaceChildren(trouble(reasonOf(error, 'Try it again in a moment.')));

  /** @param {Head} head */
  const actionsOf = ({ revision }) => {
    const action = (/** @type {string} */ text, /** @type {() => Promise<HTMLElement>} */ make) =>
      button({ class: 'quiet', 'aria-label': `${text} ${revision}` }, () => show(make()), text);
    return h(
      'div',
      { class: 'row-actions' },
      action('Show', () => asItWas(view, revision)),
      revision > 1 && action('What changed', () => compared(view, revision - 1, revision)),
      revision < newest && action('Compare with now', () => compared(view, revision, newest)),
      revision < newest && action('Roll back', async () => rollbackForm(view, revision, fail)),
    );
  };

  let newest = 0;
  const more = button({ class: 'quiet' }, () => void addPage(before).catch(fail), 'Older revisions');
  /** @type {number | null} */
  let before = null;
  async function addPage(/** @type {number | null} */ until) {
    const { body } = await api
      .read(`/products/${id}/revisions${until === null ? '' : `?before=${until}`}`)
      .catch(ofNone);
    newest = Math.max(newest, body.revisions[0]?.revision ?? 0);
    list.append(...body.revisions.map((/** @type {Head} */ head) => entry(head, actionsOf(head))));
    before = body.before;
    more.hidden = before === null;
  }
  await addPage(null);
  const empty = list.children.length === 0 && h('p', {}, 'Nobody has written this product.');
  const notice = h('div', {});
  const content = h('div', { class: 'history' }, notice, detail, empty, list, more);
  const again = button({ class: 'quiet' }, () => location.reload(), 'Reload');
  /** @type {Shown['onChange']} */
  const onChange = (change) => {
    if (change.kind === 'stock.changed' || (change.revision ?? Infinity) <= newest) return;
    notice.replaceChildren(trouble(`${who(change)} changed this product just now. `, again));
  };
  return { title: `History of product ${id}`, content, cursor: null, onChange };
}
