import { button, byId, h } from '../shared/dom.js';
import { Refusal, Unanswered, createApi, reasonOf } from './api.js';
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
const product = given.get('product')?.trim() || null;
/** As the writer has them. @param {string} text */
const isId = (text) => /^[1-9]\d{0,9}$/.test(text) && Number(text) <= 2147483647;

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
  const title =
    error instanceof Refusal
      ? `Status ${error.status}`
      : error instanceof Unanswered
        ? 'The writer does not answer'
        : 'This page failed';
  fail(title, reasonOf(error, 'Reload this page in a moment.'), product !== null && tabs(view));
}

/** @param {string} title @param {string} text @param {...(Node | false)} before */
function fail(title, text, ...before) {
  const failure = h('section', { class: 'failure' }, h('h1', { tabindex: -1 }, title), h('p', { role: 'alert' }, text));
  place(title, ...before, failure);
}

/** @param {Shown} shown @param {import('./api.js').Api} api @param {number | null} id */
async function followChanges({ cursor, onChange }, api, id) {
  const state = byId('state');
  const after = cursor ?? (await api.read('/changes?after=head').catch(() => null))?.body?.head;
  if (!after) return;
  const abort = new AbortController();
  addEventListener('pagehide', () => abort.abort());
  await follow({
    api,
    cursor: after,
    signal: abort.signal,
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
  if (product !== null && !isId(product))
    return fail(
      `${product} is not a product id`,
      'A product id is a whole number from 1 to 2147483647. Type one above.',
    );
  try {
    const id = product === null ? null : Number(product);
    const view = /** @type {(view: any) => Promise<Shown>} */ (
      Object.hasOwn(VIEWS, name) ? VIEWS[/** @type {keyof typeof VIEWS} */ (name)] : editView
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
