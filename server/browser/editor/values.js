import { h } from '../shared/dom.js';

/** @param {any} value @param {string} pointer of JSON (RFC 6901) @returns {any} undefined: nothing is there */
export const valueAt = (value, pointer) =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((at, name) => at?.[name], value);

/** A value as text. @param {any} value */
export const shown = (value) => {
  if (value == null) return h('span', { class: 'soft' }, 'none');
  return typeof value === 'string' ? value : h('pre', {}, JSON.stringify(value, null, 1));
};

/**
 * A table of differences, a row for each JSON pointer.
 * @param {string} caption @param {string[]} heads of the columns beside the pointer
 * @param {{ path: string, cells: (Node | string)[] }[]} rows
 */
export const differences = (caption, heads, rows) =>
  h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    h(
      'table',
      {},
      h('caption', {}, caption),
      h(
        'thead',
        {},
        h('tr', {}, h('th', { scope: 'col' }, 'Field'), ...heads.map((head) => h('th', { scope: 'col' }, head))),
      ),
      h(
        'tbody',
        {},
        ...rows.map(({ path, cells }) =>
          h('tr', {}, h('th', { scope: 'row' }, path || 'the product'), ...cells.map((cell) => h('td', {}, cell))),
        ),
      ),
    ),
  );

/** @param {string} iso */
export const time = (iso) =>
  h('time', { datetime: iso }, new Date(iso).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' }));

/** @param {{ actor?: string | null, on_behalf?: string | null }} by a key, and the person behind it */
export const who = ({ actor, on_behalf: person }) => [person, actor].filter(Boolean).join(' by ') || 'a load';

/** A message that needs attention, read out at once. @param {...import('../shared/dom.js').Child} children */
export const trouble = (...children) => h('p', { class: 'trouble', role: 'alert' }, ...children);
