import { viewOf } from './address.js';
import { stored } from './stored.js';

/**
 * @typedef {object} Arrival how a view is reached
 * @property {'start' | 'link' | 'change' | 'history'} by change: of the same list, so that focus and place on the page stay
 * @property {number | null} scroll where the page was, when it was left; null: at its top
 */

const STORED = 'explorer-scroll';

/** The scroll position of each entry of the history. Survives a reload. */
class Places {
  /** @type {Map<string, number>} */
  #places;
  constructor() {
    this.#places = new Map(JSON.parse(stored(() => sessionStorage).get(STORED) ?? '[]'));
    addEventListener('pagehide', () => stored(() => sessionStorage).set(STORED, JSON.stringify([...this.#places])));
  }
  /** @param {string} key */
  of(key) {
    return this.#places.get(key) ?? null;
  }
  /** @param {string} key @param {number} top */
  note(key, top) {
    this.#places.set(key, top);
  }
}

/** @returns {string} of the current entry of the history */
function keyOfEntry() {
  if (history.state?.key) return history.state.key;
  const key = crypto.randomUUID?.() ?? String(Math.random()); // no randomUUID without HTTPS
  history.replaceState({ key }, '');
  return key;
}

/**
 * Turns links to this page into views, and knows the way back.
 * @param {(view: import('./address.js').View, arrival: Arrival) => Promise<void>} show resolves once it is drawn, or another view is on its way
 */
export function createRouter(show) {
  history.scrollRestoration = 'manual'; // the browser would scroll before the view is there
  const places = new Places();
  let arriving = 0;

  addEventListener('scroll', () => arriving === 0 && places.note(keyOfEntry(), scrollY), { passive: true });

  /** @param {Arrival['by']} by */
  async function arrive(by) {
    arriving += 1;
    const scroll = by === 'history' || by === 'start' ? places.of(keyOfEntry()) : null;
    await show(viewOf(location.search), { by, scroll });
    arriving -= 1;
  }

  /** @param {string} href @param {Arrival['by']} [by] */
  function go(href, by = 'link') {
    const { pathname, search } = new URL(href, location.href);
    if (pathname + search !== location.pathname + location.search) history.pushState(null, '', pathname + search);
    return arrive(by);
  }

  addEventListener('popstate', () => void arrive('history'));
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || event.defaultPrevented || event.button !== 0 || link.target) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (link.origin !== location.origin || link.pathname !== location.pathname) return;
    event.preventDefault();
    // A fragment in the address would be an entry of the history of its own.
    if (link.hash) document.getElementById(link.hash.slice(1))?.focus();
    else void go(link.href);
  });

  return {
    go,
    start: () => arrive('start'),
    again: () => arrive('link'),
    /** Another address of the view that is shown. @param {string} href */
    rename: (href) => history.replaceState(history.state, '', href),
  };
}
