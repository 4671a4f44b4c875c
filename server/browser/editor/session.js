import { h } from '../shared/dom.js';
import { textPart } from './parts.js';
import { trouble } from './values.js';

/** @typedef {{ key: string, actor: string }} Session */

/** The session is of this tab alone, and gone with it. */
const STORED = 'catalog-writer';

/** @returns {Session | null} */
export const storedSession = () => JSON.parse(sessionStorage.getItem(STORED) ?? 'null');

export const forgetSession = () => sessionStorage.removeItem(STORED);

/** @param {string} reason why it is asked for; empty: the first time @param {(session: Session) => void} begin */
export function keyForm(reason, begin) {
  const key = textPart('API key', '', {
    type: 'password',
    hint: 'npm run key -- create NAME --scopes content,stock,history,changes',
  });
  const actor = textPart('Your name', '', { hint: 'It stands in the history beside the name of the key.' });
  const form = h(
    'form',
    { class: 'narrow' },
    h('h1', { tabindex: -1 }, 'Edit the catalog'),
    reason && trouble(reason),
    key.element,
    actor.element,
    h('button', { class: 'primary' }, 'Begin'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const given = { key: key.read('', new Map()).trim(), actor: actor.read('', new Map()).trim() };
    key.complain(/^ck_\w+$|^ck_[\w-]+$/.test(given.key) ? '' : 'A key begins with ck_. Paste the whole line.');
    actor.complain(given.actor ? '' : 'Write your name.');
    if (form.querySelector('[aria-invalid=true]')) return;
    sessionStorage.setItem(STORED, JSON.stringify(given));
    begin(given);
  });
  return form;
}
