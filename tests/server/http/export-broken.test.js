'use strict';

const { once } = require('node:events');

/** The streams that were made; the last one is the export's. @type {import('node:zlib').Gzip[]} */
const mockStreams = [];
jest.mock('node:zlib', () => ({
  ...jest.requireActual('node:zlib'),
  createGzip() {
    mockStreams.push(jest.requireActual('node:zlib').createGzip());
    return mockStreams.at(-1);
  },
}));

const { serveCatalog, until } = require('../../helpers/app');
const { beginExport, longProducts } = require('../../helpers/exports');

describe('an export whose compression fails', () => {
  const served = serveCatalog(longProducts(20_000));

  test('is cut while its next rows are read, and the worker serves on', async () => {
    const { client } = served.catalog;
    const ended = once(served.app.service.events, 'exported');
    const failed = once(served.app.service.events, 'handlerFailed');
    const stream = await beginExport(served.app.url, 'view=product', { 'accept-encoding': 'gzip' });
    await client.query('BEGIN; LOCK TABLE catalog.product_documents IN ACCESS EXCLUSIVE MODE');
    const rest = stream.rest();
    const waits = `SELECT FROM pg_locks WHERE relation = 'catalog.product_documents'::regclass AND NOT granted`;
    await until(async () => (await client.query(waits)).rowCount === 1);
    mockStreams.at(-1)?.destroy(new Error('made by a test'));
    await expect(rest).rejects.toThrow('aborted');
    await client.query('COMMIT');
    expect((await ended)[0]).toBe('cut');
    expect((await failed)[0].message).toBe('made by a test');
    expect((await fetch(`${served.app.url}/products/2`)).status).toBe(200);
  });
});
