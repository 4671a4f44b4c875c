import { button, byId, h } from '../../explorer/dom.js';
import { Refusal, createApi } from './api.js';
import { follow } from './live-changes.js';
import { editView } from './edit-view.js';
import { historyView } from './history-view.js';
import { forgetSession, keyForm, storedSession } from './session.js';
import { stockView } from './stock-view.js';

/*
 * The editing view. Each screen is a page of its own: links lead from one to the next, and the key stays in the tab.
 */

/** @typedef {{ api: import('./api.js').Api, id: number | null }} View id: of the product; null: a new one */
/**
 * @typedef {object} Shown
 * @property {string} title
 * @property {HTMLElement} content
 * @property {string | null} cursor of the log, as it was read; null: changes of others from now on
 * @property {(change: import('./live-changes.js').Change) => void} onChange of this product, or of any
 */

const VIEWS = { edit: editView, stock: stockView, history: historyView };
/** @type {Record<string, string>} */
const TABS = { edit: 'Content', stock: 'Stock', history: 'History' };

const main = byId('main');
const given = new URLSearchParams(location.search);
const product = given.get('product');

/** @param {string | null} view */
const tabs = (view) =>
  h(
    'nav',
    { class: 'tabs', 'aria-label': `Product ${product}` },
    ...Object.entries(TABS).map(([name, text]) =>
      h('a', { href: `./?product=${product}&view=${name}`, 'aria-current': name === view ? 'page' : null }, text),
    ),
  );

/** @param {string} title @param {...(Node | false)} content */
function place(title, ...content) {
  document.title = `${title} · Catalog editor`;
  main.replaceChildren(...content.filter((each) => each !== false));
}

/** @param {unknown} error @param {string | null} view */
function explain(error, view) {
  if (error instanceof Refusal && error.status === 401) {
    forgetSession();
    return place('Key', keyForm(error.message, begin));
  }
  const [title, text] =
    error instanceof Refusal
      ? [`Status ${error.status}`, error.message]
      : ['The writer does not answer', 'Reload this page in a moment.'];
  const failure = h('section', { class: 'failure' }, h('h1', { tabindex: -1 }, title), h('p', { role: 'alert' }, text));
  place(title, product !== null && tabs(view), failure);
}

/** @param {Shown} shown @param {import('./api.js').Api} api @param {number | null} id */
async function followChanges({ cursor, onChange }, api, id) {
  const state = byId('state');
  const after = cursor ?? (await api.read('/changes?after=head').catch(() => null))?.body?.head;
  if (!after) return;
  const abort = new AbortController();
  addEventListener('pagehide', () => abort.abort());
  await follow({
    ...{ api, cursor: after, signal: abort.signal },
    onChange: (change) => (change.product === id || change.kind === 'catalog.replaced') && onChange(change),
    onState: (text) => void (state.textContent = text),
  });
}

/** @param {import('./session.js').Session} session */
async function begin(session) {
  const api = createApi(session);
  const leave = button({ class: 'quiet' }, () => (forgetSession(), location.assign('./')), 'Forget the key');
  byId('session').replaceChildren(session.actor, ' ', leave);
  const name = given.get('view') ?? 'edit';
  if (product === null && !given.has('new'))
    return place(
      'Find a product',
      h('h1', { tabindex: -1 }, 'Which product?'),
      h('p', {}, 'Open it by its id, or ', h('a', { href: './?new' }, 'make a new one'), '.'),
    );
  try {
    if (product !== null && !/^[1-9]\d{0,9}$/.test(product)) throw new Error(`${product} is not an id`);
    const id = product === null ? null : Number(product);
    const view = /** @type {(view: any) => Promise<Shown>} */ (
      VIEWS[/** @type {keyof typeof VIEWS} */ (name)] ?? editView
    );
    const shown = await view({ api, id });
    place(shown.title, id !== null && tabs(name), h('h1', { tabindex: -1 }, shown.title), shown.content);
    if (id !== null) await followChanges(shown, api, id);
  } catch (error) {
    explain(error, name);
  }
}

byId('find').addEventListener('submit', (event) => {
  event.preventDefault();
  const id = /** @type {HTMLInputElement} */ (byId('id')).value.trim();
  if (id) location.assign(`./?product=${encodeURIComponent(id)}`);
});
const session = storedSession();
if (session) void begin(session);
else place('Key', keyForm('', begin));
