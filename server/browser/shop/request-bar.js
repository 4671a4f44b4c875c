import { button, byId, h } from '../shared/dom.js';
import { stored } from './stored.js';
import { counted, duration, size } from './written.js';

/** @typedef {import('./watched-fetch.js').Watched} Watched */

/** A line for a shell. @param {string} url */
const curlOf = (url) => `curl --compressed '${url.replaceAll("'", "'\\''")}'`;

/** @param {string} url @returns {string} its path and query, as an address bar shows them */
function targetOf(url) {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

/** @param {Watched} request */
function bytesOf({ sentBytes, isUnchanged }) {
  if (sentBytes === null) return '';
  return isUnchanged ? ' · not changed (304)' : ` · ${size(sentBytes)}`;
}

/** @param {string} text @param {HTMLButtonElement} copy */
async function copyText(text, copy) {
  try {
    await navigator.clipboard.writeText(text); // exists only on HTTPS and localhost
    copy.textContent = 'Copied';
  } catch {
    const command = /** @type {Element} */ (copy.previousElementSibling);
    getSelection()?.selectAllChildren(command);
    copy.textContent = 'Selected';
  }
}

/** @param {Watched} request */
function details(request) {
  const curl = curlOf(request.url);
  const copy = button({ class: 'quiet' }, () => void copyText(curl, copy), 'Copy');
  const body = request.bodyBytes === null ? null : `, ${size(request.bodyBytes)} unpacked`;
  return h(
    'li',
    {},
    h('p', { class: 'target' }, `GET ${decodeURI(targetOf(request.url))}`),
    h('p', {}, `${request.status || 'no reply'} · ${duration(request.ms)}${bytesOf(request)}`, body),
    h('div', { class: 'curl' }, h('code', { tabindex: 0 }, curl), copy),
  );
}

const STORED = 'explorer-request';

/** The switch of the bar, which stays as it was at the last visit. @param {() => void} changed @returns {HTMLInputElement} */
export function requestSwitch(changed) {
  const box = /** @type {HTMLInputElement} */ (byId('show-request'));
  box.checked = stored(() => localStorage).get(STORED) === 'on';
  box.addEventListener('change', () => {
    stored(() => localStorage).set(STORED, box.checked ? 'on' : 'off');
    changed();
  });
  return box;
}

/** Shows what the view has asked for. @param {boolean} isOn @param {Watched[]} requests @param {Watched[]} typed of suggestions */
export function showRequests(isOn, requests, typed) {
  const bar = byId('request');
  const [request] = requests;
  bar.hidden = !isOn || !request;
  if (!request) return;
  const open = bar.querySelector('details')?.open;
  const summary = h(
    'summary',
    {},
    h('span', { class: 'request-count' }, counted(requests.length, 'request')),
    h('code', {}, targetOf(request.url)),
    h('span', {}, `${duration(request.ms)}${bytesOf(request)}`),
  );
  const typing = typed.length === 0 ? null : `While you typed: ${counted(typed.length, 'request')} of suggestions.`;
  const text = h(
    'div',
    { class: 'request-details' },
    h('ul', {}, ...requests.map(details)),
    typing && h('p', {}, typing),
  );
  bar.replaceChildren(h('details', { open }, summary, text));
}
