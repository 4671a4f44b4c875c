'use strict';

const { readerOf } = require('../../helpers/openapi');
const { callerOf, prepareWrites, serveWriter } = require('../../helpers/writer');

/** @type {any} */
const document = require('../../../server/writer/openapi.json');

const { resolve, schemaErrors } = readerOf(document);
const served = serveWriter();
const path = (/** @type {number | string} */ id) => `/products/${id}/stock`;

test('the quantities of a product are those that its styles reply shows, by style', async () => {
  const call = callerOf(served.app.url, await prepareWrites(served.catalog, { name: 'till', scopes: ['stock'] }));
  await served.catalog.client.query('UPDATE catalog.skus SET quantity = -2 WHERE id = 38'); // sold twice
  const { status, headers, body } = await call('GET', path(1));
  expect([status, headers.get('catalog-cursor')]).toEqual([200, expect.stringMatching(/^\d+\.\d+$/)]);
  expect(body).toEqual({
    product: 1,
    styles: [
      {
        ...{ style: 1, name: 'Forest Green' },
        skus: [
          { sku: 37, size: '7"\\', quantity: 8 },
          { sku: 38, size: '7.5', quantity: 0 },
          { sku: 39, size: '7.5', quantity: 17 },
        ],
      },
      { style: 2, name: 'Desert "\\" Brown', skus: [{ sku: 40, size: 'One Size', quantity: 1 }] },
    ],
  });
  const { content } = resolve(document.paths['/products/{product_id}/stock'].get.responses[200]);
  expect(schemaErrors(content['application/json'].schema, body)).toEqual([]);
  expect((await call('GET', path(2))).body.styles).toEqual([{ style: 7, name: 'Gold', skus: [] }]);
  expect((await call('GET', path(4))).body).toEqual({ product: 4, styles: [] });
  const refused = await Promise.all([call('GET', path(3)), call('GET', path('x'))]);
  expect(refused.map((reply) => reply.status)).toEqual([404, 400]);
});

test('they need the scope stock', async () => {
  const call = callerOf(served.app.url, await prepareWrites(served.catalog, { name: 'reader', scopes: ['content'] }));
  const { status, body } = await call('GET', path(1));
  expect([status, body.detail]).toEqual([403, 'The key reader lacks the scope stock.']);
});
