import { h } from '../shared/dom.js';

/*
 * A form is a tree of parts, as a product is a tree of values.
 */

/** @typedef {Map<string, Part>} Places parts by the JSON pointer of their values */
/**
 * @typedef {object} Part
 * @property {HTMLElement} element
 * @property {(at: string, places: Places) => any} read the value; notes itself and the parts below it. A row that was removed has moved
 *   the pointers of those behind it, so they are made with each reading.
 * @property {(value: any) => void} set
 * @property {(text: string) => void} complain says at the part what is wrong with it; empty: nothing is
 */

/**
 * @typedef {object} TextOptions
 * @property {number} [rows] of a longer text
 * @property {string} [hint]
 * @property {'text' | 'password'} [type]
 * @property {'decimal' | 'numeric' | 'url'} [keys] of a phone
 * @property {(text: string) => any} [value] of the text
 * @property {(value: any) => string} [text] of a value
 */

let made = 0;
const newId = () => `part-${(made += 1)}`;

/** A line below a part that says what is wrong. @param {HTMLElement | null} control that is described by it */
export function createComplaint(control) {
  const id = newId();
  const element = h('p', { id, class: 'error', hidden: true });
  const complain = (/** @type {string} */ text) => {
    element.hidden = text === '';
    element.textContent = text;
    control?.setAttribute('aria-invalid', String(text !== ''));
  };
  return { id, element, complain };
}

/** @param {string} label @param {unknown} value @param {TextOptions} [options] @returns {Part} */
export function textPart(label, value, options = {}) {
  const { rows, hint, type = 'text', keys, text = String, value: valueOf = (given) => given } = options;
  const id = newId();
  const control = rows
    ? h('textarea', { id, rows })
    : h('input', { id, type, inputmode: keys, autocomplete: 'off', spellcheck: 'false' });
  const { element: error, id: errorId, complain } = createComplaint(control);
  const described = hint ? `${id}-hint ${errorId}` : errorId;
  control.setAttribute('aria-describedby', described);
  const set = (/** @type {unknown} */ given) => void (control.value = given == null ? '' : text(given));
  set(value);
  /** @type {Part} */
  const part = {
    element: h(
      'div',
      { class: 'field' },
      h('label', { for: id }, label),
      control,
      hint && h('p', { id: `${id}-hint`, class: 'hint' }, hint),
      error,
    ),
    read: (at, places) => (places.set(at, part), valueOf(control.value)),
    set,
    complain,
  };
  return part;
}

/** @param {string} label @param {boolean} value @returns {Part} */
export function checkPart(label, value) {
  const control = h('input', { type: 'checkbox' });
  const { element: error, complain } = createComplaint(control);
  control.checked = value;
  /** @type {Part} */
  const part = {
    element: h('div', { class: 'field' }, h('label', { class: 'check' }, control, label), error),
    read: (at, places) => (places.set(at, part), control.checked),
    set: (given) => void (control.checked = given),
    complain,
  };
  return part;
}

/** @param {string} label @param {unknown} value @param {[text: string, value: unknown][]} options @returns {Part} */
export function selectPart(label, value, options) {
  const id = newId();
  const { element: error, id: errorId, complain } = createComplaint(null);
  const control = h('select', { id, 'aria-describedby': errorId }, ...options.map(([text]) => h('option', {}, text)));
  const set = (/** @type {unknown} */ given) =>
    void (control.selectedIndex = options.findIndex(([, each]) => each === (given ?? undefined)));
  set(value);
  /** @type {Part} */
  const part = {
    element: h('div', { class: 'field' }, h('label', { for: id }, label), control, error),
    read: (at, places) => (places.set(at, part), options[control.selectedIndex]?.[1]),
    set,
    complain: (text) => {
      complain(text);
      control.setAttribute('aria-invalid', String(text !== ''));
    },
  };
  return part;
}

/** @param {Record<string, Part>} members by name; what is undefined is left out @returns {Part} */
export function objectPart(members) {
  const { element: error, complain } = createComplaint(null);
  const list = Object.entries(members);
  /** @type {Part} */
  const part = {
    element: h('div', { class: 'members' }, ...list.map(([, { element }]) => element), error),
    read(at, places) {
      places.set(at, part);
      const values = list.map(([name, member]) => [name, member.read(`${at}/${name}`, places)]);
      return Object.fromEntries(values.filter(([, value]) => value !== undefined));
    },
    set: (value) => list.forEach(([name, member]) => member.set(value?.[name])),
    complain,
  };
  return part;
}
