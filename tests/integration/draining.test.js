'use strict';

const { startService, until } = require('../helpers/app');
const { createCatalog, manyProducts } = require('../helpers/database');

test('a draining worker finishes what is under way, says Connection: close, and is not ready meanwhile', async () => {
  const catalog = await createCatalog(manyProducts(5));
  const app = await startService({ DATABASE_URL: catalog.dsn, DRAIN_GRACE_MS: 300 });
  try {
    await catalog.client.query('BEGIN; LOCK TABLE catalog.product_documents IN ACCESS EXCLUSIVE MODE');
    const underWay = fetch(`${app.url}/products/2`);
    await until(async () =>
      (await (await fetch(`${app.adminUrl}/metrics`)).text()).includes('in_flight{lane="short"} 1'),
    );
    const closed = app.close();
    expect((await fetch(`${app.adminUrl}/readyz`)).status).toBe(503);
    const late = await fetch(`${app.url}/products?count=0`);
    expect([late.status, late.headers.get('connection')]).toEqual([400, 'close']);
    const preflight = await fetch(`${app.url}/products`, { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers.get('connection')]).toEqual([204, 'close']);
    await catalog.client.query('COMMIT');
    const response = await underWay;
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
    await closed;
    await expect(fetch(`${app.url}/products`)).rejects.toThrow();
  } finally {
    await catalog.drop();
  }
});
