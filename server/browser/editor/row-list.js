import { button, h } from '../shared/dom.js';
import { createComplaint } from './parts.js';

/** @typedef {import('./parts.js').Part} Part */

let made = 0;

/**
 * Rows that can be added, moved and removed.
 * @typedef {object} Rows
 * @property {string} title @property {'h2' | 'h4'} level @property {string} one of them
 * @property {(value: any, key: string) => Part} make
 * @property {any} blank of a new row
 * @property {boolean} isMap whether rows have keys and no order; a new one gets a key that begins with new
 */

/** @param {Rows} kind @param {any} value a list or a map @returns {Part} */
export function rowsPart({ title, level, one, make, blank, isMap }, value) {
  const { element: error, complain } = createComplaint(null);
  const list = h('ol', {});
  /** @type {{ key: string, part: Part, element: HTMLElement }[]} */
  let rows = [];

  function draw() {
    list.replaceChildren(...rows.map(({ element }) => element));
    rows.forEach(({ key, element }, index) => {
      const name = `${one} ${isMap ? key : index + 1}`;
      element.querySelector('[role=group]')?.setAttribute('aria-label', name);
      for (const action of element.querySelectorAll(':scope > .row-actions button'))
        action.setAttribute('aria-label', `${action.textContent} ${name}`);
    });
  }

  /** @param {any} given @param {string} key */
  function rowOf(given, key) {
    const part = make(given, key);
    const remove = button(
      { class: 'quiet' },
      () => ((rows = rows.filter((each) => each !== row)), draw(), add.focus()),
      'Remove',
    );
    const up = button({ class: 'quiet' }, () => (moveUp(row), up.focus()), 'Move up');
    const actions = h('div', { class: 'row-actions' }, isMap ? null : up, remove);
    const row = { key, part, element: h('li', {}, h('div', { role: 'group' }, part.element), actions) };
    return row;
  }

  /** @param {typeof rows[number]} row */
  function moveUp(row) {
    const index = Math.max(1, rows.indexOf(row));
    rows = rows.toSpliced(index - 1, 2, rows[index], rows[index - 1]);
    draw();
  }

  const add = button(
    { class: 'quiet' },
    () => {
      rows = [...rows, rowOf(blank, `new-${(made += 1)}`)];
      draw();
      /** @type {HTMLElement | null} */ (rows.at(-1)?.element.querySelector('input, textarea'))?.focus();
    },
    `Add ${one}`,
  );

  /** @type {Part} */
  const part = {
    element: h('div', { class: 'rows', role: 'group', 'aria-label': title }, h(level, {}, title), list, add, error),
    read(at, places) {
      places.set(at, part);
      const values = rows.map((row, index) => row.part.read(`${at}/${isMap ? row.key : index}`, places));
      return isMap ? Object.fromEntries(rows.map(({ key }, index) => [key, values[index]])) : values;
    },
    set(given) {
      rows = Object.entries(given).map(([key, each]) => rowOf(each, key));
      draw();
    },
    complain,
  };
  part.set(value);
  return part;
}
