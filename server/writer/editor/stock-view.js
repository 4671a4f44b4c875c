import { h } from '../../explorer/dom.js';
import { Refusal } from './api.js';
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

  /** @param {number} current */
  function show(current, text = `${current} in stock`) {
    if (value() === String(was)) part.set(current); // untouched
    was = current;
    now.textContent = text;
  }

  async function set() {
    const wanted = value();
    part.complain(/^\d{1,10}$/.test(wanted) ? '' : 'Write a whole number, 0 or more.');
    if (!/^\d{1,10}$/.test(wanted)) return;
    try {
      await api.send('PUT', `/skus/${sku}/quantity`, { body: { quantity: Number(wanted), was } });
      show(Number(wanted), `${wanted} in stock, set just now`);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { quantity: there } = error.problem;
      if (error.status === 409 && Number.isInteger(there)) {
        part.complain(
          `Somebody else changed it: there are ${there}, not ${was}. Look at your number, then set it again.`,
        );
        was = there;
        now.textContent = `${there} in stock`;
      } else part.complain(error.message);
    }
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void set();
  });
  return { sku, form, show };
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
    for (const { sku, show } of forms) {
      const found = all.find((/** @type {Stocked} */ each) => each.sku === sku);
      if (found) show(found.quantity);
    }
  }
  return {
    title: `Stock of product ${id}`,
    content: h('div', {}, empty, ...sections),
    cursor: headers.get('Catalog-Cursor'),
    onChange: () => void refresh().catch(() => {}), // the next change or a reload shows it
  };
}
