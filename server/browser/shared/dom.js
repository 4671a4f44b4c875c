/*
 * Elements from plain values. Texts of the catalog become text nodes or attributes: nothing here parses HTML.
 */

/** @typedef {Node | string | number | null | undefined | false} Child nothing is made of null, undefined and false */
/** @typedef {Record<string, string | number | boolean | null | undefined>} Attributes true: without a value; false, null: none */

/** @param {Element} element @param {Attributes} attributes */
function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes))
    if (value !== false && value != null) element.setAttribute(name, value === true ? '' : String(value));
}

/** @param {Child[]} children @returns {(Node | string)[]} */
const present = (children) =>
  children
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Attributes} [attributes] @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...present(children));
  return element;
}

/**
 * @param {keyof SVGElementTagNameMap} tag @param {Attributes} [attributes] @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAttributes(element, attributes);
  element.append(...present(children));
  return element;
}

/**
 * A button that does something on this page.
 * @param {Attributes} attributes @param {(event: MouseEvent) => void} onClick @param {...Child} children
 */
export function button(attributes, onClick, ...children) {
  const element = h('button', { type: 'button', ...attributes }, ...children);
  element.addEventListener('click', onClick);
  return element;
}

/** @param {string} id of an element that index.html has @returns {HTMLElement} */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`index.html has no element with the id ${id}`);
  return element;
}
