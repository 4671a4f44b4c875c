'use strict';

const { sendBulk } = require('../../helpers/bulk');
const { serveWriter } = require('../../helpers/writer');

const served = serveWriter();
/** @type {(...call: Parameters<typeof served.call>) => ReturnType<typeof served.call>} */
const call = (...words) => served.call(...words);
const etagOf = async (/** @type {number} */ id) => String((await call('GET', `/products/${id}`)).headers.get('etag'));
/** @param {number} id @param {any} body @param {string} etag */
const patch = (id, body, etag) => call('PATCH', `/products/${id}`, body, { 'If-Match': etag });

test('a patch with an old ETag gets what others changed since', async () => {
  const loaded = await etagOf(1);
  const own = { slogan: 'own', styles: { 1: { name: 'own' }, 2: null } };
  await call('PATCH', '/products/1', { name: 'theirs' });
  await call('PATCH', '/products/1', { features: [], styles: { 1: { sale_price: '1' } } });
  const late = await patch(1, own, `${loaded.slice(0, -1)}-gzip"`);
  expect([late.status, late.body]).toMatchObject([
    412,
    {
      current: { etag: late.headers.get('etag'), revision: 3 },
      changed: ['/name', '/features', '/styles/1/sale_price'],
      conflicts: [],
    },
  ]);
  expect((await patch(1, own, late.body.current.etag)).status).toBe(200);
});

test('a conflict is named where both change the same, a part of it, or a whole around it', async () => {
  const before = await etagOf(2);
  await call('PATCH', '/products/2', { slogan: 'theirs', default_price: '9', styles: { 7: { name: 'theirs' } } });
  const patches = [
    [{ slogan: 'own', category: 'own' }, ['/slogan']],
    [{ styles: { 7: null } }, ['/styles/7']],
    [{ styles: { 7: { original_price: '8', name: 'own' } } }, ['/styles/7/name']],
  ];
  for (const [body, conflicts] of patches) {
    const late = await patch(2, body, before);
    expect([late.status, late.body.conflicts]).toEqual([412, conflicts]);
  }
  const { lines } = await sendBulk(served.app.url, served.key, 'late', [
    { op: 'patch', id: 2, if_match: before, body: { slogan: 'own' } },
  ]);
  expect(lines[0].problem).toMatchObject({
    current: { etag: await etagOf(2) },
    changed: ['/slogan', '/default_price', '/styles/7/name'],
    conflicts: ['/slogan'],
  });
});

test('each ETag that the writer gave is known again', async () => {
  const steps = ['POST', 'PATCH', 'DELETE'];
  const product = {
    ...{ name: 'a', slogan: '', description: '', category: '', default_price: '1', features: [], related: [1] },
    styles: {},
  };
  const made = await call(steps[0], '/products', product, { 'Idempotency-Key': 'known' });
  const { id } = made.body;
  await call('PATCH', `/products/${id}`, { name: 'b' });
  const late = await patch(id, { name: 'c' }, String(made.headers.get('etag')));
  expect(late.body.conflicts).toEqual(['/name']);
  const other = await call('POST', '/products', product, { 'Idempotency-Key': 'other' });
  await call('PATCH', `/products/${id}`, { related: [other.body.id] });
  const linked = await etagOf(id);
  await call('DELETE', `/products/${other.body.id}`, undefined, { 'If-Match': '*' }); // also a write of this one
  const unlinked = await etagOf(id);
  expect((await patch(id, { name: 'c' }, linked)).body).toMatchObject({ changed: ['/related'], conflicts: [] });
  await call('PATCH', `/products/${id}`, { name: 'd' });
  expect((await patch(id, { name: 'c' }, unlinked)).body.conflicts).toEqual(['/name']);
});

test('an ETag that was never given, a PUT and a deleted product get only what is current', async () => {
  const current = { etag: await etagOf(4), revision: 0 };
  const unknown = await patch(4, { name: 'x' }, '"never"');
  const { body } = await call('GET', '/products/4');
  const put = await call('PUT', '/products/4', { ...body, name: 'x' }, { 'If-Match': '"never"' });
  for (const { body: problem } of [unknown, put]) {
    expect(problem.current).toEqual(current);
    expect(problem).not.toHaveProperty('changed');
  }
  await call('DELETE', '/products/4', undefined, { 'If-Match': '*' });
  const gone = await call('PUT', '/products/4', body, { 'If-Match': '*' });
  expect([gone.status, gone.body.current]).toEqual([412, { revision: 2 }]);
});
