import { h } from '../shared/dom.js';
import { Refusal, reasonOf } from './api.js';
import { textPart } from './parts.js';

/** @typedef {import('./main.js').View} View @typedef {import('./main.js').Shown} Shown */
/** @typedef {{ sku: number, size: string, quantity: number }} Stocked */

/** @param {View} view @param {Stocked} stocked */
function skuForm({ api }, { sku, size, quantity }) {
  let was = quantity;
  const part = textPart(`Quantity of ${size}`, quantity, { keys: 'numeric' });
  const now = h('p', { class: 'soft', role: 'status' }, `${was} in stock`);
  const form = h(
    'form',
    { class: 'sku', 'aria-label': `Sku ${sku}` },
    h('p', {}, `Sku ${sku}`),
    part.element,
    h('button', {}, 'Set'),
    now,
  );
  const value = () => String(part.read('', new Map())).trim();

  /** @param {number} current @param {string} [more] */
  function show(current, more = '') {
    was = current;
    now.textContent = `${current} in stock${more}`;
  }

  /** Shows a quantity that others set. A number that is typed in was meant for the one before. @param {number} current */
  function refresh(current) {
    if (![was, current].map(String).includes(value()))
      now.textContent = `${current} in stock now, ${was} when you began`;
    else if (current !== was) {
      part.set(current);
      show(current);
    }
  }

  async function set() {
    const wanted = value();
    part.complain(/^\d{1,10}$/.test(wanted) ? '' : 'Write a whole number, 0 or more.');
    if (!/^\d{1,10}$/.test(wanted)) return;
    try {
      const { status } = await api.send('PUT', `/skus/${sku}/quantity`, { body: { quantity: Number(wanted), was } });
      // 202: it is on the disk, and an expectation may still fail.
      if (status === 202) now.textContent = `${was} in stock; your number is logged and comes soon`;
      else show(Number(wanted), ', set just now');
    } catch (error) {
      if (!(error instanceof Refusal)) return part.complain(reasonOf(error, 'Set it again in a moment.'));
      const { quantity: there } = error.problem;
      if (error.status === 409 && Number.isInteger(there)) {
        part.complain(
          `Somebody else changed it: there are ${there}, not ${was}. Look at your number, then set it again.`,
        );
        show(there);
      } else part.complain(error.message);
    }
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void set();
  });
  return { sku, form, refresh };
}

/** @param {View & { id: number }} view @returns {Promise<Shown>} */
export async function stockView(view) {
  const { api, id } = view;
  const path = `/products/${id}/stock`;
  const { body, headers } = await api.read(path);
  /** @type {ReturnType<typeof skuForm>[]} */
  const forms = [];
  const sections = body.styles.map(
    (/** @type {{ style: number, name: string, skus: Stocked[] }} */ { style, name, skus }) => {
      const own = skus.map((stocked) => skuForm(view, stocked));
      forms.push(...own);
      return h(
        'section',
        { class: 'stock' },
        h('h2', {}, `${name}, style ${style}`),
        ...own.map(({ form }) => form),
        skus.length === 0 && h('p', {}, 'It has no skus.'),
      );
    },
  );
  const empty = sections.length === 0 && h('p', {}, 'The product has no styles, so it has no skus.');

  async function refresh() {
    const { body: fresh } = await api.read(path);
    const all = fresh.styles.flatMap((/** @type {{ skus: Stocked[] }} */ { skus }) => skus);
    for (const { sku, refresh: update } of forms) {
      const found = all.find((/** @type {Stocked} */ each) => each.sku === sku);
      if (found) update(found.quantity);
    }
  }
  return {
    title: `Stock of product ${id}`,
    content: h('div', {}, empty, ...sections),
    cursor: headers.get('Catalog-Cursor'),
    onChange: () => void refresh().catch(() => {}), // the next change or a reload shows it
  };
}
