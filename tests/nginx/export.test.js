'use strict';

const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { startNginx } = require('../../scripts/local/nginx');
const { serveCatalog } = require('../helpers/app');
const { beginExport, linesOf, longProducts } = require('../helpers/exports');
const { freePort } = require('../helpers/servers');

describe('an export through nginx', () => {
  const products = 20_000; // more than the kernel and the buffers of nginx hold
  const served = serveCatalog(longProducts(products));
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'export-'));
  fs.chmodSync(dir, 0o711); // nginx's own workers, "nobody" when we are root, pass through it
  /** @type {Awaited<ReturnType<typeof startNginx>>} */
  let nginx;
  let url = '';
  let pieces = 0;
  beforeAll(() => {
    served.app.service.events.on('queried', (name) => (pieces += Number(name.startsWith('export_'))));
  });
  // One nginx a test: the kernel's buffers of a connection that has carried an export have grown, and could take a whole one.
  beforeEach(async () => {
    const port = await freePort();
    const { host } = new URL(served.app.url);
    nginx = await startNginx({ dir, port, workers: [host, host] });
    url = `http://127.0.0.1:${port}`;
  });
  afterEach(() => nginx?.stop());
  afterAll(() => fs.rmSync(dir, { recursive: true }));

  test('is that of the worker, each time anew', async () => {
    const { body, end } = await (async () => {
      const text = await (await beginExport(served.app.url, 'view=product')).rest();
      return { body: text, end: linesOf(text).end };
    })();
    expect(end).toMatchObject({ count: products });
    for (let round = 1; round <= 10; round += 1) {
      const before = pieces;
      const { headers, rest } = await beginExport(url, 'view=id&after=59000');
      expect(headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
      expect(linesOf(await rest()).end).toMatchObject({ last: end?.last });
      expect(pieces).toBeGreaterThan(before);
    }
    expect(await (await beginExport(url, 'view=product')).rest()).toBe(body);
  });

  test('goes at the speed of its reader: the worker reads no more than is taken', async () => {
    const before = pieces;
    const stream = await beginExport(url, 'view=product');
    const other = await beginExport(url, 'view=product');
    const third = await beginExport(url, 'view=product');
    expect([third.status, third.headers['retry-after']]).toEqual([503, '1']);
    expect(linesOf(await other.rest()).end).toMatchObject({ count: products });
    expect(pieces - before).toBeLessThan(2 * (products / 500)); // the first one had as much time
    const left = once(served.app.service.events, 'exported');
    stream.leave();
    expect(await left).toEqual(['cut', expect.any(Number), expect.any(Number)]);
  });

  test('that its worker cuts is cut for the client, and no other worker is asked', async () => {
    const stream = await beginExport(url, 'view=product');
    const before = pieces;
    const requests = served.app.counts.replied;
    await served.catalog.client.query('ALTER TABLE catalog.product_documents RENAME TO away');
    await expect(stream.rest()).rejects.toThrow('aborted');
    expect(pieces).toBeGreaterThan(before);
    expect(served.app.counts.replied).toBe(requests + 1); // the failure, which has no other reply
    await served.catalog.client.query('ALTER TABLE catalog.away RENAME TO product_documents');
  });
});
