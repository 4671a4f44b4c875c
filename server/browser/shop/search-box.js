import { listAddress } from './address.js';
import { byId } from '../shared/dom.js';
import { list, sections } from './suggestions.js';

/** @typedef {ReturnType<typeof import('../../client/catalog.js').createCatalog>} Catalog */

/** A pause in typing. */
const PAUSE_MS = 120;
/** Words, categories and cards, at most. */
const COUNT = 5;

/**
 * The list under the field. The field keeps the focus and names the active option.
 * @param {HTMLElement} field
 */
function createPopup(field) {
  const popup = byId('suggestions');
  const options = () => /** @type {HTMLAnchorElement[]} */ ([...popup.querySelectorAll('[role=option]')]);
  const active = () => options().find((each) => each.ariaSelected === 'true');

  /** @param {HTMLElement | undefined} chosen */
  function activate(chosen) {
    for (const each of options()) each.ariaSelected = String(each === chosen);
    if (chosen) field.setAttribute('aria-activedescendant', chosen.id);
    else field.removeAttribute('aria-activedescendant');
    chosen?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {Node[]} content none: closes it */
  function show(content) {
    popup.replaceChildren(...content);
    popup.hidden = content.length === 0;
    field.ariaExpanded = String(!popup.hidden);
    activate(undefined);
  }

  /** @param {1 | -1} by */
  function move(by) {
    /** @type {(HTMLAnchorElement | undefined)[]} the options, then the field itself */
    const places = [...options(), undefined];
    activate(places.at((places.indexOf(active()) + by) % places.length));
  }

  popup.addEventListener('mousedown', (event) => event.preventDefault()); // or a click would take the focus first, and close it
  popup.addEventListener('click', () => show([]));
  return { active, leave: () => activate(undefined), isOpen: () => !popup.hidden, move, show };
}

/**
 * The search field of the page: a combobox whose options are links.
 * @param {object} parts
 * @param {Catalog} parts.catalog
 * @param {(href: string) => void} parts.go
 */
export function createSearchBox({ catalog, go }) {
  const field = /** @type {HTMLInputElement} */ (byId('q'));
  const popup = createPopup(field);
  const suggestionsOf = catalog.suggestions();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let pause;
  let asked = 0;

  function close() {
    clearTimeout(pause);
    asked += 1; // what is still on its way comes too late
    popup.show([]);
  }

  async function suggest() {
    const text = field.value.trimStart();
    const own = (asked += 1);
    // Suggestions are a help: without them the field still searches.
    const found = text && (await suggestionsOf(text, { count: COUNT }).catch(() => null));
    if (own === asked) popup.show(found ? sections(text, found) : []);
  }

  field.addEventListener('input', () => {
    clearTimeout(pause);
    popup.leave(); // Enter searches what is typed, and not what an earlier text offered
    pause = setTimeout(() => void suggest(), PAUSE_MS);
  });
  field.addEventListener('keydown', (event) => {
    if (event.isComposing) return; // arrows and Escape choose among the candidates of an input method
    if (event.key === 'Escape' && popup.isOpen()) close();
    else if (event.key === 'ArrowDown' && !popup.isOpen()) void suggest();
    else if (event.key === 'ArrowDown') popup.move(1);
    else if (event.key === 'ArrowUp' && popup.isOpen()) popup.move(-1);
    else return;
    event.preventDefault();
  });
  field.addEventListener('focusout', close);
  field.form?.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = field.value.trim();
    const href = popup.active()?.href ?? (text === '' ? listAddress() : list({ q: text }));
    close();
    go(href);
  });

  return {
    /** Shows the words of the list. @param {string} text */
    show(text) {
      close();
      field.value = text;
    },
  };
}
