'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { digestOf } = require('../../../server/cache/entry');
const { createLoaded } = require('../../helpers/loaded-writer');

const example = path.join(__dirname, '../../../scripts/generate/example');

describe('writes to a load with fields of its own', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'kept-fields-'));
  /** @type {Awaited<ReturnType<typeof createLoaded>>} */
  let loaded;
  /** @type {Awaited<ReturnType<typeof loaded.serve>>} */
  let call;
  beforeAll(async () => {
    fs.cpSync(example, dir, { recursive: true });
    loaded = await createLoaded();
    expect((await loaded.load('load', dir)).status).toBe(0);
    call = await loaded.serve(['content', 'history', 'stock']);
  }, 60_000);
  afterAll(async () => {
    await loaded?.drop();
    fs.rmSync(dir, { recursive: true });
  });

  /** @param {number} id @returns {Promise<{ own: string, card: string, styles: any[] }>} what its documents have */
  async function fieldsOf(id) {
    const { rows } = await loaded.client.query(
      `SELECT product.fields AS own, card.fields AS card, styles.body::json -> 'results' AS styles
      FROM catalog.product_documents AS product
      JOIN catalog.cards AS card USING (id)
      JOIN catalog.styles_documents AS styles USING (id)
      WHERE id = $1`,
      [id],
    );
    return rows[0];
  }

  /** @param {number} id @param {unknown} patch */
  async function patch(id, patch) {
    const { headers } = await call('GET', `/products/${id}`);
    return call('PATCH', `/products/${id}`, patch, { 'If-Match': String(headers.get('etag')) });
  }

  const sound = async () => expect((await loaded.load('verify', '--served')).status).toBe(0);

  test('a patch of a product, a style and a sku keeps the fields of all', async () => {
    const before = await fieldsOf(1);
    const styles = { 1: { name: 'Deep Blue', skus: { 1: { size: 'XS' } } } };
    expect((await patch(1, { name: 'Storm Shell II', styles })).status).toBe(200);
    const after = await fieldsOf(1);
    expect([after.own, after.card]).toEqual([before.own, before.card]);
    const named = structuredClone(before.styles);
    named[0].name = 'Deep Blue';
    named[0].skus[1].size = 'XS';
    expect(after.styles).toEqual(named);
    await sound();
  });

  test('a patch may name the ETag of the public reply, which has the fields', async () => {
    const { headers } = await call('GET', '/products/2');
    const { rows } = await loaded.client.query(
      `SELECT head || ',"features":' || features || ',"fields":' || fields || '}' AS body FROM catalog.product_documents WHERE id = 2`,
    );
    expect(headers.get('etag')).toBe(`"${digestOf('', Buffer.from(rows[0].body))}"`);
  });

  test('what a write adds has the empty object', async () => {
    const sku = { size: 'XXL', quantity: 3 };
    const style = { name: 'New', original_price: '9', 'default?': false, photos: [], skus: { new: sku } };
    expect((await patch(3, { styles: { new: style } })).status).toBe(200);
    const { styles } = await fieldsOf(3);
    const added = styles.at(-1);
    expect([added.fields, Object.values(added.skus).map(({ fields }) => fields)]).toEqual([{}, [{}]]);
    await sound();
  });

  test('a replay onto the next load keeps the fields of its files', async () => {
    const { rows } = await loaded.client.query(
      "SELECT era || '.' || (SELECT min(seq) FROM catalog_log.commits) AS cursor FROM catalog_log.head",
    );
    const file = path.join(dir, 'product.csv');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replaceAll('"Fjordline"', '"Fjordline AS"'));
    const { status, said } = await loaded.load('load', dir, '--as-of', rows[0].cursor);
    expect([status, said]).toEqual([0, expect.stringContaining('replayed writes of 2 products')]);
    const [written, untouched] = [await fieldsOf(1), await fieldsOf(2)];
    expect([written.own, untouched.own]).toEqual(
      [written, untouched].map(() => expect.stringContaining('"brand":"Fjordline AS"')),
    );
    expect(written.styles[0]).toMatchObject({ name: 'Deep Blue', fields: { colour: 'Blue' } });
    expect(written.styles[0].skus[1]).toMatchObject({ size: 'XS', fields: { code: 'SS-HAR-S' } });
    await sound();
  }, 60_000);
});
