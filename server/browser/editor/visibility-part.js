import { button, h } from '../shared/dom.js';

/** @typedef {{ hidden: boolean, from: string | null, until: string | null }} Visibility as the writer says it */

/** @param {string} time */
const local = (time) => new Date(time).toLocaleString();

/** @param {Visibility} state @returns {string} for a person */
function textOf({ hidden, from, until }) {
  const now = hidden ? 'This product is hidden: readers do not find it.' : 'Readers find this product.';
  const plans = [
    { time: from, text: 'It will be hidden on' },
    { time: until, text: 'It will be published on' },
  ];
  const planned = plans.flatMap(({ time, text }) => (time ? [{ time, text: `${text} ${local(time)}.` }] : []));
  planned.sort((one, other) => Date.parse(one.time) - Date.parse(other.time));
  return [now, ...planned.map(({ text }) => text)].join(' ');
}

/** @param {string | null} header @returns {Visibility} */
export const visibilityIn = (header) => (header ? JSON.parse(header) : { hidden: false, from: null, until: null });

/** Says whether a product is hidden, and changes that. */
export class VisibilityPart {
  /** @param {{ hidden: string | null, set: (kind: 'hide' | 'publish') => void }} options hidden: the header Catalog-Hidden */
  constructor({ hidden, set }) {
    this.set = set;
    this.element = h('section', { class: 'visibility' });
    this.show(visibilityIn(hidden));
  }

  /** @param {Visibility} state */
  show(state) {
    const hide = button({ class: 'quiet' }, () => this.set('hide'), 'Hide');
    const publish = button({ class: 'quiet' }, () => this.set('publish'), 'Publish');
    const isPlanned = Boolean(state.from || state.until);
    const shown = isPlanned ? [hide, ' ', publish] : [state.hidden ? publish : hide];
    this.element.replaceChildren(h('p', {}, textOf(state)), ...shown);
  }
}
