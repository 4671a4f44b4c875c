import { h } from '../shared/dom.js';
import { number } from './written.js';

/**
 * A value with its count. A box and not a link, because several can be chosen.
 * @param {object} choice
 * @param {string} choice.id the same in the next list, so that it keeps the focus
 * @param {string | (Node | string)[]} choice.text @param {number} choice.count @param {boolean} choice.selected
 * @param {(isChosen: boolean) => void} choose
 */
export function box({ id, text, count, selected }, choose) {
  const input = h('input', { type: 'checkbox', id, checked: selected });
  input.addEventListener('change', () => choose(input.checked));
  return h(
    'label',
    { class: count === 0 ? 'choice none' : 'choice', for: id },
    input,
    h('span', { dir: 'auto' }, ...[text].flat()),
    h('span', { class: 'count' }, number(count)),
  );
}
