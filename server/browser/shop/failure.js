import { CatalogProblem } from '../../client/catalog.js';
import { listAddress } from './address.js';
import { button, h } from '../shared/dom.js';

/** @typedef {{ title: string, text: string, canRetry: boolean }} Explanation */

/** @param {number | null} seconds */
const later = (seconds) => (seconds === null ? 'Try again in a moment.' : `Try again in ${seconds} s.`);

/** @type {Record<string, (problem: CatalogProblem) => Explanation>} */
const EXPLANATIONS = {
  'unknown-product': () => ({
    title: 'This product does not exist',
    text: 'It may have left the catalog. Search for something like it, or look at all products.',
    canRetry: false,
  }),
  'malformed-parameter': ({ detail }) => ({ title: 'This address does not work', text: detail, canRetry: false }),
  'too-many-requests': ({ retryAfter }) => ({
    title: 'That was a little fast',
    text: later(retryAfter),
    canRetry: true,
  }),
  overloaded: ({ retryAfter }) => ({ title: 'The catalog is busy', text: later(retryAfter), canRetry: true }),
  unavailable: ({ retryAfter }) => ({ title: 'The catalog is not available', text: later(retryAfter), canRetry: true }),
};

/** @param {unknown} error @returns {Explanation} */
function explain(error) {
  if (!(error instanceof CatalogProblem))
    return { title: 'The catalog does not answer', text: 'Check your connection, then try again.', canRetry: true };
  const known = EXPLANATIONS[error.slug ?? ''];
  if (known) return known(error);
  return {
    title: 'Something went wrong',
    text: [error.detail, error.instance && `Reference: ${error.instance}`].filter(Boolean).join(' '),
    canRetry: true,
  };
}

/** A failure is shown instead of a view. @param {unknown} error @param {() => void} retry @returns {{ title: string, content: HTMLElement }} */
export function failure(error, retry) {
  const { title, text, canRetry } = explain(error);
  const content = h(
    'section',
    { class: 'failure' },
    h('h1', { tabindex: -1 }, title),
    h('p', {}, text),
    h(
      'div',
      { class: 'actions' },
      canRetry && button({ class: 'primary' }, retry, 'Retry'),
      h('a', { href: listAddress() }, 'All products'),
    ),
  );
  return { title, content };
}

/** A search failed because this catalog has none; everything else works then. @param {unknown} error */
export const isWithoutSearch = (error) => error instanceof CatalogProblem && error.slug === 'without-search';

/** A search was refused for its parameters. @param {unknown} error */
export const isRefused = (error) => error instanceof CatalogProblem && error.slug === 'malformed-parameter';
