'use strict';

const { sendBulk } = require('../../helpers/bulk');
const { failedChecks, serveWriter } = require('../../helpers/writer');

const LAST_FILE_ID = 1500000000;
const served = serveWriter();
afterEach(async () => expect(await failedChecks(served.catalog.client)).toEqual([]));

let requests = 0;
/** @param {number} id @param {any} body @param {string} [key] */
async function upsert(id, body, key = `upsert-${(requests += 1)}`) {
  const { lines } = await sendBulk(served.app.url, served.key, key, [{ op: 'upsert', id, body }]);
  return lines[0];
}
const read = async (/** @type {number} */ id) => served.call('GET', `/products/${id}`);
const errorsOf = (/** @type {any} */ { status, problem }) => [status, problem.errors?.[0].pointer ?? problem.detail];
/** @param {number} sku */
const quantityOf = async (sku) => {
  const { rows } = await served.catalog.client.query('SELECT quantity FROM catalog.skus WHERE id = $1', [sku]);
  return rows[0]?.quantity;
};

const STYLE = { name: 'Red', original_price: '9.00', 'default?': true, photos: [], skus: {} };
const PRODUCT = {
  ...{ name: 'Cap', slogan: 's', description: 'd', category: 'Hats', default_price: '9' },
  ...{ features: [{ feature: 'Fit', value: null }], related: [2], styles: {} },
};

test('a product that is nowhere is made under its id, with its styles, skus and quantities', async () => {
  const styles = { 900: { ...STYLE, skus: { 9000: { size: 'M', quantity: 7 }, 9001: { size: 'L' } } } };
  const made = await upsert(500, { ...PRODUCT, styles }, 'made');
  expect([made.status, made.id]).toEqual([201, 500]);
  const { body } = await read(500);
  expect(body).toMatchObject({
    id: 500,
    name: 'Cap',
    related: [2],
    styles: { 900: { skus: { 9000: { size: 'M' } } } },
  });
  expect([await quantityOf(9000), await quantityOf(9001)]).toEqual([7, 0]);
  const { revisions } = (await served.call('GET', '/products/500/revisions')).body;
  expect(revisions.map((/** @type {any} */ { kind }) => kind)).toEqual(['create']);
  expect(await upsert(500, { ...PRODUCT, styles }, 'made')).toEqual(made);
});

test('a product that is there is patched, and gets styles and skus under their ids', async () => {
  const before = (await read(2)).body;
  const [style] = Object.keys(before.styles);
  const styles = { [style]: { skus: { 9100: { size: 'XXL', quantity: 3 } } }, 910: STYLE };
  expect((await upsert(2, { slogan: 'new', styles })).status).toBe(200);
  const { body } = await read(2);
  expect(body).toMatchObject({ name: before.name, slogan: 'new', styles: { 910: STYLE } });
  expect(body.styles[style].skus).toEqual({ ...before.styles[style].skus, 9100: { size: 'XXL' } });
  expect(await quantityOf(9100)).toBe(3);
});

test('a line that changes nothing makes no revision', async () => {
  const revisions = async () => (await served.call('GET', '/products/2/revisions')).body.revisions.length;
  const before = await revisions();
  expect((await upsert(2, { slogan: (await read(2)).body.slogan })).status).toBe(200);
  expect(await revisions()).toBe(before);
});

test('a deleted product comes back', async () => {
  await upsert(501, PRODUCT);
  await served.call('DELETE', '/products/501', undefined, { 'If-Match': '*' });
  expect((await read(501)).status).toBe(404);
  expect((await upsert(501, { ...PRODUCT, name: 'Back' })).status).toBe(201);
  expect((await read(501)).body.name).toBe('Back');
});

test('what is new needs all members', async () => {
  const { slogan, ...rest } = PRODUCT;
  expect(errorsOf(await upsert(502, rest))).toEqual([422, '/body/slogan']);
  expect(errorsOf(await upsert(2, { styles: { 911: { name: 'x' } } }))).toEqual([
    422,
    '/body/styles/911/original_price',
  ]);
});

test('ids that the API gives are not made', async () => {
  expect((await upsert(LAST_FILE_ID, PRODUCT)).status).toBe(201);
  expect((await upsert(LAST_FILE_ID + 1, PRODUCT)).status).toBe(404);
  const styles = { [LAST_FILE_ID + 1]: STYLE };
  expect(errorsOf(await upsert(2, { styles }))).toEqual([422, `/body/styles/${LAST_FILE_ID + 1}`]);
});

test('styles and skus of another product are refused', async () => {
  expect(errorsOf(await upsert(2, { styles: { 900: STYLE } }))).toEqual([
    409,
    'The style 900 belongs to another product by now.',
  ]);
  const own = { styles: { 912: { ...STYLE, skus: { 9000: { size: 'M' } } } } };
  expect(errorsOf(await upsert(2, own))).toEqual([409, 'The sku 9000 belongs to another product by now.']);
});

test('two lines of one request that make the same sku make one', async () => {
  const line = (/** @type {number} */ id, /** @type {number} */ style) => ({
    op: 'upsert',
    id,
    body: { ...PRODUCT, styles: { [style]: { ...STYLE, skus: { 9200: { size: 'M' } } } } },
  });
  const { lines } = await sendBulk(served.app.url, served.key, 'twice', [line(510, 920), line(511, 921)]);
  expect(lines.slice(0, 2).map(({ status }) => status)).toEqual([201, 409]);
});

test('a sku that is there keeps its quantity, and one that moves within its product, too', async () => {
  const skus = { 9000: { quantity: 1 } };
  expect(errorsOf(await upsert(500, { styles: { 900: { skus } } }))).toEqual([
    422,
    '/body/styles/900/skus/9000/quantity',
  ]);
  const styles = { 900: { skus: { 9000: null } }, 930: { ...STYLE, skus: { 9000: { size: 'M' } } } };
  expect((await upsert(500, { styles })).status).toBe(200);
  expect([await quantityOf(9000), Object.keys((await read(500)).body.styles[930].skus)]).toEqual([7, ['9000']]);
});
