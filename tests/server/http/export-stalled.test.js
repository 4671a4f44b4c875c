'use strict';

const { once } = require('node:events');

jest.mock('../../../server/core/policy', () => ({
  ...jest.requireActual('../../../server/core/policy'),
  STALLED_READER_SECONDS: 0.2,
}));

const { serveCatalog } = require('../../helpers/app');
const { beginExport, longProducts } = require('../../helpers/exports');

describe('a reader who takes nothing of an export', () => {
  const served = serveCatalog(longProducts(20_000));

  test.each(['identity', 'gzip'])('loses the connection and leaves its place, with %s', async (encoding) => {
    const ended = once(served.app.service.events, 'exported');
    const stream = await beginExport(served.app.url, 'view=product', { 'accept-encoding': encoding });
    expect(stream.headers['content-encoding'] ?? 'identity').toBe(encoding);
    expect(await ended).toEqual(['cut', expect.any(Number), expect.any(Number)]);
    await expect(stream.rest()).rejects.toThrow('aborted');
  });
});
