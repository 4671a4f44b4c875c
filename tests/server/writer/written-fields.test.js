'use strict';

const { startService } = require('../../helpers/app');
const { sendBulk } = require('../../helpers/bulk');
const { DECLARED, DECLARED_ROWS, LONG, declaration, loadRow } = require('../../helpers/declared');
const { EDGES } = require('../../helpers/database');
const { failedChecks, serveWriter } = require('../../helpers/writer');

const ANY = { 'If-Match': '*' };
/** @param {any} product @returns {any} what a client may write */
const content = ({ id, campus, created_at, updated_at, ...rest }) => rest;
/** @param {{ status: number, body: any }} reply @returns {[number, string, string]} its first error */
const refusal = ({ status, body }) => [status, body.errors?.[0].pointer, body.errors?.[0].detail];

describe('fields that a load declares', () => {
  const served = serveWriter(DECLARED_ROWS);
  /** @type {Awaited<ReturnType<typeof startService>>} */
  let worker;
  beforeAll(async () => {
    worker = await startService({ DATABASE_URL: served.catalog.dsn });
  });
  afterAll(() => worker?.close());
  afterEach(async () => expect(await failedChecks(served.catalog.client)).toEqual([]));
  /** @type {(...call: Parameters<typeof served.call>) => ReturnType<typeof served.call>} */
  const call = (...words) => served.call(...words);
  /** @param {number} id @returns {Promise<string>} the JSON of its row */
  const stored = async (id, table = 'products') =>
    (await served.catalog.client.query(`SELECT fields::text FROM catalog.${table} WHERE id = $1`, [id])).rows[0].fields;
  const patch = (/** @type {unknown} */ fields, id = 7) => call('PATCH', `/products/${id}`, { fields });

  test('are shown as the public replies show them, with the same ETag', async () => {
    const [own, open] = await Promise.all([call('GET', '/products/1'), fetch(`${worker.url}/products/1`)]);
    expect(own.headers.get('etag')).toBe(open.headers.get('etag'));
    expect(own.body.fields).toEqual((await open.json()).fields);
    expect(own.body.styles[1]).toMatchObject({ fields: { depth: 0.1 }, skus: { 37: { fields: { ean: '40' } } } });
  });

  test('keep their digits when something else of the product changes', async () => {
    await call('PATCH', '/products/1', { name: 'Other', fields: { vegan: true } });
    expect(await stored(1)).toBe(`{"weight_g":${LONG},"brand":"Acme","vegan":true}`);
    const headers = { Authorization: `Bearer ${served.key}` };
    const shown = await (await fetch(`${served.app.url}/products/1`, { headers })).text();
    expect(shown).toContain(`"fields":{"weight_g":${LONG},"brand":"Acme","vegan":true}`);
  });

  test('are merged by PATCH, and null removes one', async () => {
    await patch({ brand: 'Acme', vegan: false });
    expect((await patch({ brand: null, launched: '2026-01-31' })).body.fields).toEqual({
      vegan: false,
      launched: '2026-01-31',
    });
    expect((await patch(null)).body.fields).toEqual({});
  });

  test('are none after a PUT without them', async () => {
    const { body } = await patch({ brand: 'Acme' });
    const { fields, ...rest } = content(body);
    const put = await call('PUT', '/products/7', rest, ANY);
    expect([fields, put.status, put.body.fields]).toEqual([{ brand: 'Acme' }, 200, {}]);
  });

  test('are in declared order, however they are sent', async () => {
    await patch({ tags: ['b', 'a'], brand: 'x', weight_g: 1 });
    expect(await stored(7)).toBe('{"weight_g":1,"brand":"x","tags":["b","a"]}');
  });

  test('of a sku alone are written, and its quantity stays', async () => {
    const { status } = await call('PATCH', '/products/1', {
      styles: { 1: { skus: { 37: { fields: { ean: 'new' } } } } },
    });
    const { rows } = await served.catalog.client.query('SELECT quantity FROM catalog.skus WHERE id = 37');
    expect([status, await stored(37, 'skus'), rows[0].quantity]).toEqual([200, '{"ean":"new"}', 8]);
  });

  test('of a new product are those of its rows', async () => {
    const { body: other } = await call('GET', '/products/7');
    const style = { name: 'Red', original_price: '1', sale_price: null, 'default?': true, photos: [] };
    const skus = { new: { size: 'S', quantity: 2, fields: { a: ['x'] } } };
    const styles = { new: { ...style, fields: { shade: 'Crimson' }, skus } };
    const made = await call('POST', '/products', { ...content(other), styles }, { 'Idempotency-Key': 'fields' });
    expect(Object.values(made.body.styles)).toEqual([
      { ...style, ...{ original_price: '1.00', fields: { shade: 'Crimson' } }, skus: expect.anything() },
    ]);
    expect(JSON.stringify(made.body.styles)).toContain('{"size":"S","fields":{"a":["x"]}}');
  });

  test.each([
    ['12345678901234567890.5', '12345678901234567890.5'],
    ['0.000000000000000001', '0.000000000000000001'],
    ['0.10', '0.1'],
    ['1.5e2', '150'],
    ['5e-7', '0.0000005'],
    ['-0.0', '0'],
  ])('keep the number %s as %s', async (sent, kept) => {
    const { status } = await call('PATCH', '/products/7', `{"fields":{"weight_g":${sent}}}`);
    expect([status, JSON.stringify(await stored(7))]).toEqual([200, expect.stringContaining(`weight_g\\":${kept},`)]);
  });

  test.each([
    ['an unknown name', '{"brnd":"x"}', 'brnd', 'is not declared for products, only weight_g, brand, vegan, launched, tags. Did you mean "brand"?'],
    ['the removal of an unknown name', '{"brnd":null}', 'brnd', expect.stringMatching(/^is not declared/)],
    ['too many digits', '{"weight_g":1e400}', 'weight_g', 'must be a number with at most 20 digits before the point and 18 behind it, or null for none.'],
    ['a number as text', '{"weight_g":"5"}', 'weight_g', expect.stringMatching(/^must be a number/)],
    ['a text of a number', '{"brand":5}', 'brand', 'must be a text, or null for none.'],
    ['a text with a NUL', '{"brand":"\\u00005"}', 'brand', expect.stringMatching(/^has a NUL/)],
    ['a word for a boolean', '{"vegan":"true"}', 'vegan', 'must be true or false, or null for none.'],
    ['a day that is none', '{"launched":"2026-02-30"}', 'launched', expect.stringMatching(/^must be a date such as/)],
    ['a list with its separator', '{"tags":["a|b"]}', 'tags', 'has "|" in a text, which separates texts.'],
    ['a list of numbers', '{"tags":[1]}', 'tags', 'must be a list of texts, or null for none.'],
  ])('refuse %s', async (_, fields, name, detail) => {
    const before = await stored(7);
    const reply = await call('PATCH', '/products/7', `{"fields":${fields}}`);
    expect(refusal(reply)).toEqual([422, `/fields/${name}`, detail]);
    expect(await stored(7)).toBe(before);
  }); // prettier-ignore

  test('have no empty texts or lists, and lists no text twice', async () => {
    const { body } = await patch({ brand: '', tags: [' a ', '', 'b', 'a', '\t'] });
    expect([body.fields.brand, body.fields.tags]).toEqual([undefined, ['a', 'b']]);
    expect((await patch({ tags: [] })).body.fields).not.toHaveProperty('tags');
  });

  test('have at most 16 KB a row', async () => {
    const base = { tags: null, weight_g: null, vegan: null, launched: null };
    const fits = await patch({ ...base, brand: 'x'.repeat(16384 - '{"brand":""}'.length) });
    const reply = await patch({ vegan: true });
    expect([fits.status, ...refusal(reply)]).toEqual([
      200,
      422,
      '/fields',
      'has 16397 bytes as JSON, more than 16384.',
    ]);
    await patch(null);
  });

  test('of a line of a bulk request are checked with pointers into its body', async () => {
    const lines = [
      { op: 'patch', id: 7, body: { fields: { brand: 'Bulk' } } },
      { op: 'patch', id: 1, body: { styles: { 1: { fields: { shad: 'x' } } } } },
    ];
    const [first, second] = (await sendBulk(served.app.url, served.key, 'fields', lines)).lines;
    expect([first.status, await stored(7)]).toEqual([200, '{"brand":"Bulk"}']);
    expect(second.problem.errors[0].pointer).toBe('/body/styles/1/fields/shad');
  });

  test('are in revisions and their differences, with all digits', async () => {
    await call('PATCH', '/products/7', `{"fields":{"weight_g":${LONG}}}`);
    const { body } = await call('GET', '/products/7/revisions?limit=1');
    const [{ revision, paths }] = body.revisions;
    const headers = { Authorization: `Bearer ${served.key}` };
    const url = `${served.app.url}/products/7/revisions/${revision - 1}/diff?to=${revision}`;
    const diff = await (await fetch(url, { headers })).text();
    expect([paths, diff]).toEqual([
      ['/fields/weight_g'],
      expect.stringContaining(`"patch":{"fields":{"weight_g":${LONG}}},"reverse":{"fields":{"weight_g":null}}`),
    ]);
    const back = await call('POST', '/products/7/rollback', { to: revision - 1, reason: 'x' }, ANY);
    expect(back.body.fields).toEqual({ brand: 'Bulk' });
    const again = await call('POST', '/products/7/rollback', { to: revision, reason: 'x' }, ANY);
    expect([again.status, await stored(7)]).toEqual([200, `{"weight_g":${LONG},"brand":"Bulk"}`]);
  });

  test('have their names and types in the description', async () => {
    const { components } = (await call('GET', '/openapi.json')).body;
    const { ProductFields, SkuFields } = components.schemas;
    expect([Object.keys(ProductFields.properties), Object.keys(SkuFields.properties)]).toEqual([
      Object.keys(DECLARED.products),
      Object.keys(DECLARED.skus),
    ]);
    expect(components.schemas.Sku.properties.fields).toEqual({ $ref: '#/components/schemas/SkuFields' });
  });
});

describe('another load that is served', () => {
  const served = serveWriter(DECLARED_ROWS);
  const only = {
    products: { material: DECLARED.products.brand, brand: DECLARED.products.vegan },
    styles: {},
    skus: {},
  };

  test('decides at once what may be written, and refuses revisions that it cannot keep', async () => {
    const first = await served.call('PATCH', '/products/1', { fields: { vegan: true } });
    const rows = `${EDGES} ${declaration(only, 2)} UPDATE {schema}.products SET fields = '{}'`;
    await served.catalog.swap(rows, 2);
    const written = await served.call('PATCH', '/products/1', { fields: { material: 'wool' } });
    expect([first.status, written.status, written.body.fields]).toEqual([200, 200, { material: 'wool' }]);
    const reply = await served.call('POST', '/products/1/rollback', { to: 2, reason: 'x' }, ANY);
    expect([reply.status, reply.body.errors.map((/** @type {any} */ { pointer, detail }) => `${pointer} ${detail}`)]).toEqual([
      422,
      [
        '/fields/brand must be true or false, or null for none.',
        '/fields/vegan is not declared for products, only material, brand.',
        '/fields/weight_g is not declared for products, only material, brand.',
        '/styles/1/fields/depth is not declared: the load that is served has no fields of styles.',
        '/styles/1/skus/37/fields/ean is not declared: the load that is served has no fields of skus.',
      ],
    ]); // prettier-ignore
    await served.catalog.swap(`${EDGES} ${loadRow(3)}`, 3);
    const unknown = () => served.call('PATCH', '/products/1', { fields: { material: 'silk' } });
    expect([refusal(await unknown())[1], refusal(await unknown())[1]]).toEqual(['/fields/material', '/fields']);
    await served.catalog.swap(`${EDGES} ${declaration(only, 4)} UPDATE {schema}.products SET fields = '{}'`, 4);
    const lines = ['silk', 'wool'].map((material) => ({ op: 'patch', id: 1, body: { fields: { material } } }));
    const bulk = await sendBulk(served.app.url, served.key, 'other', lines);
    const { fields } = (await served.call('GET', '/products/1')).body;
    expect([bulk.lines.at(-1).failed, fields]).toEqual([0, { material: 'wool' }]);
  });
});

describe('a load without fields', () => {
  const served = serveWriter();

  test('has fields as an unknown member of each row', async () => {
    for (const [body, pointer] of /** @type {[object, string][]} */ ([
      [{ fields: {} }, '/fields'],
      [{ fields: null }, '/fields'],
      [{ styles: { 1: { fields: {} } } }, '/styles/1/fields'],
      [{ styles: { 1: { skus: { 37: { fields: {} } } } } }, '/styles/1/skus/37/fields'],
    ])) {
      const reply = await served.call('PATCH', '/products/1', body);
      expect(refusal(reply)).toEqual([422, pointer, 'is not a member that may be here.']);
    }
    expect(Object.keys((await served.call('GET', '/products/1')).body)).not.toContain('fields');
  });
});
