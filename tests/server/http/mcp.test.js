'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { Client, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');

const { startNginx } = require('../../../scripts/local/nginx');
const { startService } = require('../../helpers/app');
const { request, requestJson } = require('../../helpers/http');
const { loadSample } = require('../../helpers/sample');
const { freePort } = require('../../helpers/servers');
const { SHOP } = require('../../helpers/shops');
const { ask, post, ucpErrors, ucpRequest } = require('../../helpers/ucp');
const { version: release } = require('../../../package.json');

const PATH = '/ucp/mcp';
const MODERN = '2026-07-28';

describe('MCP of the sample', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'mcp-'));
  /** @type {Awaited<ReturnType<typeof loadSample>>} */
  let database;
  /** @type {Awaited<ReturnType<typeof startService>>} */
  let app;
  /** @type {Awaited<ReturnType<typeof startNginx>>} */
  let nginx;
  let url = '';
  /** A call of each tool, beside the kind of the same question to a route of UCP. @type {[name: string, kind: 'search' | 'lookup' | 'product', catalog: any][]} */
  let calls = [];
  beforeAll(async () => {
    fs.chmodSync(dir, 0o711);
    database = await loadSample(dir, 60);
    app = await startService({ DATABASE_URL: database.dsn('api'), ...SHOP });
    const port = await freePort();
    nginx = await startNginx({ dir: path.join(dir, 'nginx'), port, workers: [new URL(app.url).host] });
    url = `http://127.0.0.1:${port}`;
    const { body: products } = await requestJson(app.url, '/products?count=20&include=styles');
    const { id, name, styles } = products.find((/** @type {any} */ one) => one.styles.length > 1);
    calls = [
      ['search_catalog', 'search', { query: name, filters: { price: { max: 1e8 } }, pagination: { limit: 2 } }],
      ['lookup_catalog', 'lookup', { ids: [`product-${id}`, 'nothing'] }],
      ['get_product', 'product', { id: `product-${id}`, selected: [{ name: 'Style', label: styles[1].name }] }],
    ];
  }, 60_000);
  afterAll(async () => {
    await nginx?.stop();
    await app?.close();
    await database?.drop();
    fs.rmSync(dir, { recursive: true });
  });

  const fronts = { 'a worker': () => app.url, nginx: () => url };

  describe.each(/** @type {const} */ (['a worker', 'nginx']))('through %s', (front) => {
    test.each(
      /** @type {const} */ ([
        ['legacy', '2025-11-25'],
        ['auto', MODERN],
        [{ pin: MODERN }, MODERN],
      ]),
    )("answers the SDK's client that begins as %j, and agrees on %s, what UCP answers", async (mode, version) => {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(PATH, fronts[front]())));
      try {
        expect(client.getServerVersion()).toMatchObject({ name: 'product-catalog', version: release });
        expect(client.getNegotiatedProtocolVersion()).toBe(version);
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).toEqual(calls.map(([name]) => name));
        for (const [name, kind, catalog] of calls) {
          const { structuredContent, content } = await client.callTool({ name, arguments: { catalog } });
          expect(ucpErrors(kind, structuredContent)).toEqual([]);
          expect(structuredContent).toEqual(await ask(app.url, kind, catalog));
          expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
        }
        const wrong = client.callTool({ name: 'lookup_catalog', arguments: { catalog: { ids: [] } } });
        await expect(wrong).rejects.toMatchObject({
          code: -32602,
          message: expect.stringContaining('$.ids is empty'),
        });
      } finally {
        await client.close();
      }
    });

    test('answers only POST and preflights', async () => {
      for (const method of ['GET', 'DELETE', 'HEAD', 'PUT']) {
        const { status, headers } = await request(fronts[front](), { path: PATH, method });
        expect([status, headers.allow]).toEqual([405, 'POST, OPTIONS']);
      }
    });

    test('takes a message of 16 KB, and not a longer one', async () => {
      const call = (/** @type {string} */ query) => ({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'search_catalog', arguments: { catalog: { query } } },
      });
      const length = JSON.stringify(call('')).length;
      const long = (/** @type {number} */ more) => call(' '.repeat(16_384 - length + more));
      expect((await post(fronts[front](), PATH, long(0))).status).toBe(200);
      expect((await post(fronts[front](), PATH, long(1))).status).toBe(413);
    });
  });

  test('describes arguments that are those of UCP, and no others', async () => {
    const { body } = await post(app.url, PATH, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    for (const { name, inputSchema, annotations } of body.result.tools) {
      const [, kind] = calls.find(([one]) => one === name) ?? [];
      const { properties, required = [] } = ucpRequest(kind);
      const own = inputSchema.properties.catalog;
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(own.properties)));
      expect([own.required ?? [], annotations.readOnlyHint]).toEqual([required, true]);
    }
  });

  test('is named by the profile of UCP, and counted by itself', async () => {
    const { body } = await requestJson(app.url, '/.well-known/ucp');
    const { transport, endpoint } = body.ucp.services['dev.ucp.shopping'][1];
    expect([ucpErrors('profile', body), transport, endpoint]).toEqual([[], 'mcp', 'https://shop.example/ucp/mcp']);
    await post(app.url, PATH, { jsonrpc: '2.0', id: 1, method: 'ping' });
    const metrics = await (await fetch(`${app.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/^catalog_replies_total\{route="mcp",status="200"\} \d+$/m);
  });
});
