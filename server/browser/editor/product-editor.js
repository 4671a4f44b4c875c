import { button, h } from '../shared/dom.js';
import { Refusal, asHeader, randomKey, reasonOf } from './api.js';
import { complaints } from './complaints.js';
import { conflict, readOf } from './conflict.js';
import { parseExact } from './exact-json.js';
import { textPart } from './parts.js';
import { productPart } from './product-form.js';
import { trouble, who } from './values.js';
import { VisibilityPart, visibilityIn } from './visibility-part.js';

/** @typedef {import('./main.js').View} View @typedef {import('./conflict.js').Read} Read */
/** The form of a product that exists, or of a new one. */
export class ProductEditor {
  /**
   * @param {View} view @param {any} product @param {Read} read what the product was when it was read
   * @param {import('./field-parts.js').Declared} declared fields
   * @param {string | null} hidden the header that says whether it is
   */
  constructor(view, product, read, declared, hidden) {
    this.view = view;
    this.read = read;
    this.part = productPart(product, declared);
    this.reason = textPart('Reason', '', { hint: 'Stands in the history.' });
    this.notice = h('div', { class: 'notice' });
    /** @type {import('./parts.js').Places} */
    this.places = new Map();
    this.saved = this.text();
    /** A change that is reported while a write is under way may be that write. @type {Promise<void>} */
    this.writing = Promise.resolve();
    this.attempt = { text: '', key: '' };
    this.visibility = new VisibilityPart({
      hidden,
      set: (kind) => this.write(() => this.setVisibility(kind)),
    });
    addEventListener('beforeunload', (event) => this.text() !== this.saved && event.preventDefault());
  }

  /** @returns {string} the form's value as JSON */
  text() {
    this.places.clear();
    return JSON.stringify(this.part.read('', this.places));
  }

  element() {
    const isNew = this.view.id === null;
    const submit = h('button', { class: 'primary' }, isNew ? 'Create' : 'Save');
    const form = h(
      'form',
      { novalidate: true },
      this.part.element,
      h('div', { class: 'bar' }, this.reason.element, submit),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.write(() => (isNew ? this.create() : this.put()));
    });
    return h('div', {}, this.notice, form, isNew ? null : this.visibility.element, isNew ? null : this.deletion());
  }

  deletion() {
    return h(
      'details',
      { class: 'danger' },
      h('summary', {}, 'Delete this product'),
      h('p', {}, 'It leaves the catalog and the related lists of others. Its history can bring it back.'),
      button({ class: 'primary' }, () => this.write(() => this.remove()), 'Delete'),
    );
  }

  /** One write at a time. @param {() => Promise<void>} work */
  write(work) {
    const run = async () => {
      this.text(); // the fields are where they are now
      for (const part of this.places.values()) part.complain('');
      try {
        await work();
      } catch (error) {
        await this.explain(error);
      }
    };
    this.writing = this.writing.then(run);
  }

  /** @param {unknown} error */
  async explain(error) {
    if (!(error instanceof Refusal)) return this.tell(trouble(reasonOf(error, 'Save again in a moment.')));
    if (error.status === 412) return this.showConflict('Somebody else changed this product');
    this.tell(error.errors.length > 0 ? complaints(error.errors, this.places) : trouble(error.message));
  }

  /** @param {HTMLElement} notice */
  tell(notice) {
    this.notice.replaceChildren(notice);
    notice.scrollIntoView({ block: 'nearest' });
  }

  /** @param {Record<string, string>} own @returns {Record<string, string>} */
  headers(own) {
    const reason = this.reason.read('', new Map());
    return reason ? { ...own, 'X-Reason': asHeader(reason) } : own;
  }

  async put() {
    const { api, id } = this.view;
    const sent = { body: parseExact(this.text()), headers: this.headers({ 'If-Match': this.read.etag }) };
    const { body, headers } = await api.send('PUT', `/products/${id}`, sent);
    this.read = readOf(headers);
    this.part.set(body); // new styles and skus have ids now
    this.saved = this.text();
    this.reason.set('');
    this.tell(h('p', { class: 'done', role: 'status' }, `Saved as revision ${this.read.revision}.`));
  }

  /** The same attempt has the same key, so that a repeat makes no second product. */
  async create() {
    const text = this.text();
    if (this.attempt.text !== text) this.attempt = { text, key: randomKey() };
    const headers = this.headers({ 'Idempotency-Key': this.attempt.key });
    const { body } = await this.view.api.send('POST', '/products', { body: parseExact(text), headers });
    this.leave(`./?product=${body.id}`);
  }

  /** @param {'hide' | 'publish'} kind */
  async setVisibility(kind) {
    const { api, id } = this.view;
    const { body } = await api.send('POST', `/products/${id}/${kind}`, { headers: this.headers({}) });
    this.visibility.show(body);
    this.reason.set('');
    this.tell(h('p', { class: 'done', role: 'status' }, body.hidden ? 'Hidden.' : 'Published.'));
  }

  /** A change without a revision hides or publishes this product, or one that it names. */
  async readVisibility() {
    const { headers } = await this.view.api.read(`/products/${this.view.id}`);
    this.visibility.show(visibilityIn(headers.get('Catalog-Hidden')));
  }

  async remove() {
    const headers = this.headers({ 'If-Match': this.read.etag });
    await this.view.api.send('DELETE', `/products/${this.view.id}`, { headers });
    this.leave(`./?product=${this.view.id}&view=history`);
  }

  /** @param {string} address nothing is left to save */
  leave(address) {
    this.saved = this.text();
    location.assign(address);
  }

  /** @param {string} title */
  async showConflict(title) {
    const { api, id } = /** @type {View & { id: number }} */ (this.view);
    const adopt = (/** @type {Read} */ read) => {
      this.read = read;
      this.write(() => this.put());
    };
    const mine = parseExact(this.text());
    const compared = await conflict({ api, id, from: this.read.revision, mine, places: this.places, adopt });
    this.tell(h('section', { class: 'trouble', role: 'alert' }, h('h2', {}, title), compared));
  }

  /** @param {import('./live-changes.js').Change} change of this product */
  async onChange(change) {
    await this.writing;
    if (change.kind === 'product.updated' && change.revision === undefined) return this.readVisibility();
    if (change.kind === 'stock.changed' || (change.revision ?? Infinity) <= this.read.revision) return;
    const verb = change.kind === 'product.deleted' ? 'deleted' : 'changed';
    const text = `${who(change)} ${verb} this product just now`;
    const compare = button(
      { class: 'quiet' },
      () => void this.showConflict(text).catch((error) => this.explain(error)),
      'Compare',
    );
    this.notice.replaceChildren(trouble([text, ...(change.paths ?? [])].join(' '), ' ', compare));
  }
}
