import { createCatalog } from '../../client/catalog.js';
import { listAddress, viewOf } from './address.js';
import { loadBrowse } from './browse-view.js';
import { byId } from '../shared/dom.js';
import { failure } from './failure.js';
import { createFieldMenu } from './field-menu.js';
import { loadProduct } from './product-view.js';
import { requestSwitch, showRequests } from './request-bar.js';
import { createRouter } from './router.js';
import { createSearchBox } from './search-box.js';
import { skeleton } from './skeletons.js';
import { watchFetch } from './watched-fetch.js';

/*
 * The shop window: each view is one request, which a bar at the bottom can show. This file joins the parts.
 */

/** A faster reply shows no skeleton: it would only flicker. */
const SKELETON_AFTER_MS = 150;

const main = byId('main');
const drawRequests = () => showRequests(bar.checked, watched.requests(false), watched.requests(true));
const bar = requestSwitch(drawRequests);
const watched = watchFetch(drawRequests);
const url = new URL('.', document.baseURI).href.replace(/\/$/, '');
const catalog = createCatalog({ url, fetch: watched.fetch });
const menu = createFieldMenu(createCatalog({ url })); // of all views, so no view shows its request

/** The view that is on its way or shown: an older reply draws nothing. */
let current = new AbortController();
/** @type {string | null} the kind of the view that is drawn */
let drawnKind = null;

/** @param {import('./address.js').View} view @param {import('./router.js').Arrival} arrival */
async function show(view, { by, scroll }) {
  current.abort();
  const { signal } = (current = new AbortController());
  watched.forget();
  box.show(view.kind === 'browse' ? (view.query.get('q') ?? '') : '');
  if (by !== 'change') document.body.classList.remove('panel-open');
  main.ariaBusy = 'true';
  const timer = setTimeout(
    () => view.kind !== drawnKind && main.replaceChildren(skeleton(view.kind)),
    SKELETON_AFTER_MS,
  );
  try {
    const draw = await load(view, signal);
    if (!signal.aborted) place(draw(), view.kind, by, scroll);
  } finally {
    clearTimeout(timer);
    if (!signal.aborted) main.ariaBusy = 'false';
  }
}

/** @param {import('./address.js').View} view @param {AbortSignal} signal @returns {Promise<() => import('./browse-view.js').Drawn>} */
async function load(view, signal) {
  /** The address is newer than the list that is drawn, while another one is on its way. @type {import('./filter-panel.js').Change} */
  const change = (alter) => {
    const latest = viewOf(location.search);
    const { query } = latest.kind === 'browse' ? latest : /** @type {{ query: URLSearchParams }} */ (view);
    void router.go(listAddress(alter(query)), 'change');
  };
  try {
    return view.kind === 'product'
      ? await loadProduct({ ...view, catalog, menu, signal, rename: router.rename })
      : await loadBrowse({ ...view, catalog, signal, change, menu });
  } catch (error) {
    const { title, content } = failure(error, () => void router.again());
    return () => ({ title, text: title, content });
  }
}

/**
 * Replaces the view. The focus goes to its heading, or stays on the field that has changed the list.
 * @param {import('./browse-view.js').Drawn} drawn @param {string} kind @param {import('./router.js').Arrival['by']} by @param {number | null} scroll
 */
function place({ title, text, content }, kind, by, scroll) {
  const focused = by === 'change' ? document.activeElement?.id : '';
  main.replaceChildren(content);
  drawnKind = kind;
  document.title = `${title} · Catalog`;
  byId('announcer').textContent = text;
  const kept = focused ? document.getElementById(focused) : null;
  if (kept) kept.focus({ preventScroll: true });
  else if (by !== 'start') main.querySelector('h1')?.focus({ preventScroll: true });
  if (by !== 'change') scrollTo({ top: scroll ?? 0, behavior: 'instant' });
}

const router = createRouter(show);
const box = createSearchBox({ catalog, go: (href) => void router.go(href) });
void router.start();
