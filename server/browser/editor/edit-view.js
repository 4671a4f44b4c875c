import { readOf } from './conflict.js';
import { ProductEditor } from './product-editor.js';
import { BLANK_PRODUCT } from './product-form.js';

/** @param {import('./main.js').View} view @returns {Promise<import('./main.js').Shown>} */
export async function editView(view) {
  const { api, id } = view;
  if (id === null) {
    const editor = new ProductEditor(view, BLANK_PRODUCT, { etag: '', revision: 0 });
    return { title: 'New product', content: editor.element(), cursor: null, onChange: () => {} };
  }
  const { body, headers } = await api.read(`/products/${id}`);
  const editor = new ProductEditor(view, body, readOf(headers));
  return {
    title: body.name,
    content: editor.element(),
    cursor: headers.get('Catalog-Cursor'),
    onChange: (change) => void editor.onChange(change),
  };
}
