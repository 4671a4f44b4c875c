import { readOf } from './conflict.js';
import { declaredIn } from './field-parts.js';
import { ProductEditor } from './product-editor.js';
import { BLANK_PRODUCT } from './product-form.js';

/** @param {import('./main.js').View} view @returns {Promise<import('./main.js').Shown>} */
export async function editView(view) {
  const { api, id } = view;
  const description = api.read('/openapi.json');
  if (id === null) {
    const declared = declaredIn((await description).body);
    const editor = new ProductEditor(view, BLANK_PRODUCT, { etag: '', revision: 0 }, declared, null);
    return { title: 'New product', content: editor.element(), cursor: null, onChange: () => {} };
  }
  const [{ body, headers }, { body: described }] = await Promise.all([api.read(`/products/${id}`), description]);
  const hidden = headers.get('Catalog-Hidden');
  const editor = new ProductEditor(view, body, readOf(headers), declaredIn(described), hidden);
  return {
    title: body.name,
    content: editor.element(),
    cursor: headers.get('Catalog-Cursor'),
    onChange: (change) => void editor.onChange(change),
  };
}
