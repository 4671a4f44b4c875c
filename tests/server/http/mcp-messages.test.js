'use strict';

const { serveCatalog, startService } = require('../../helpers/app');
const { differences } = require('../../helpers/openapi');
const { SHOP } = require('../../helpers/shops');
const { post, ucpErrors } = require('../../helpers/ucp');

const PATH = '/ucp/mcp';
const MODERN = '2026-07-28';
const meta = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modernHeaders = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'get_product' };

/** @param {string} method @param {object} [params] @param {object} [more] members of the message */
const rpc = (method, params, more = {}) => ({ jsonrpc: '2.0', id: 7, method, ...(params && { params }), ...more });
const call = (/** @type {string} */ name, /** @type {any} */ catalog) =>
  rpc('tools/call', { name, arguments: { catalog } });

describe('a message to MCP', () => {
  const served = serveCatalog(undefined, SHOP);
  const send = (/** @type {unknown} */ content, /** @type {Record<string, string>} */ headers = {}) =>
    post(served.app.url, PATH, content, headers);

  test.each([
    [{ protocolVersion: '2025-06-18' }, '2025-06-18'],
    [{ protocolVersion: '2024-11-05' }, '2025-11-25'],
    [{ protocolVersion: MODERN }, '2025-11-25'],
    [{}, '2025-11-25'],
  ])('agrees with initialize %j on %s', async (params, version) => {
    const { body } = await send(rpc('initialize', params));
    expect(body).toMatchObject({
      jsonrpc: '2.0',
      id: 7,
      result: { protocolVersion: version, capabilities: { tools: {} } },
    });
    expect(body.result.instructions).toContain('Änne & Söhne');
  });

  test('answers pings, and takes notifications without a word', async () => {
    expect((await send(rpc('ping'))).body).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
    const { status, headers, bytes } = await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([status, bytes.length, headers['content-type']]).toEqual([202, 0, undefined]);
  });

  test.each([
    ['no body', '', -32700, 'is not JSON'],
    ['half an object', '{', -32700, 'is not JSON'],
    ['a number', '1', -32600, '"jsonrpc": "2.0"'],
    ['without jsonrpc', { method: 'ping', id: 1 }, -32600, '"jsonrpc": "2.0"'],
    ['an id of null', rpc('ping', undefined, { id: null }), -32600, 'id must be'],
    ['an id with a fraction', rpc('ping', undefined, { id: 1.5 }), -32600, 'id must be'],
    ['a reply', { jsonrpc: '2.0', id: 1, result: {} }, -32600, 'no method'],
    ['a list of params', rpc('ping', undefined, { params: [] }), -32602, 'params must be an object'],
    ['an empty batch', [], -32600, 'a batch'],
    ['a batch of 11', Array(11).fill(rpc('ping')), -32600, 'has 11'],
    ['initialize in a batch', [rpc('initialize')], -32600, 'may not be in a batch'],
  ])('refuses %s with 400', async (_, content, code, text) => {
    const { status, body } = await send(content);
    expect([status, body.error.code, body.error.message.toLowerCase()]).toEqual([
      400,
      code,
      expect.stringContaining(text.toLowerCase()),
    ]);
  });

  test.each([
    ['an unknown method', rpc('nothing'), -32601, 'no method "nothing"'],
    ['a method that is no own one', rpc('constructor'), -32601, 'no method'],
    ['a cursor', rpc('tools/list', { cursor: 'x' }), -32602, 'no cursor'],
    ['an unknown tool', call('nothing', {}), -32602, 'no tool "nothing", only search_catalog'],
    [
      'a tool without arguments',
      rpc('tools/call', { name: 'get_product' }),
      -32602,
      'arguments.catalog must be an object',
    ],
    ['a list for a product', call('get_product', []), -32602, 'arguments.catalog must be an object'],
    ['a product without an id', call('get_product', {}), -32602, '$.id is missing'],
    ['51 ids', call('lookup_catalog', { ids: Array(51).fill('product-1') }), -32602, 'may have 50 values'],
    ['201 characters', call('search_catalog', { query: 'x'.repeat(201) }), -32602, '200'],
  ])('answers %s with an error', async (_, content, code, text) => {
    const { status, body } = await send(content);
    expect([status, body.id, body.error.code, body.error.message]).toEqual([
      200,
      7,
      code,
      expect.stringContaining(text),
    ]);
    if (body.error.data) expect(ucpErrors('error', body.error.data)).toEqual([]);
  });

  test('answers batches of the version that has them, and of no other', async () => {
    const batch = [rpc('ping'), { jsonrpc: '2.0', method: 'notifications/x' }, rpc('nothing', undefined, { id: 'b' })];
    const { status, body } = await send(batch);
    expect([status, body.map((/** @type {any} */ one) => [one.id, one.error?.code])]).toEqual([
      200,
      [
        [7, undefined],
        ['b', -32601],
      ],
    ]);
    expect((await send([{ jsonrpc: '2.0', method: 'notifications/x' }])).status).toBe(202);
    const refused = await send(batch, { 'mcp-protocol-version': '2025-06-18' });
    expect([refused.status, refused.body.error]).toMatchObject([400, { code: -32600 }]);
  });

  test.each([
    [{}, {}, 200, undefined],
    [{ 'mcp-name': '=?base64?Z2V0X3Byb2R1Y3Q=?=' }, {}, 200, undefined],
    [{ 'mcp-name': 'search_catalog' }, {}, 400, -32020],
    [{ 'mcp-method': 'tools/list' }, {}, 400, -32020],
    [{ 'mcp-method': '' }, {}, 400, -32020],
    [{ 'mcp-protocol-version': '2025-11-25' }, {}, 400, -32020],
    [{ 'mcp-protocol-version': '1900-01-01' }, {}, 400, -32022],
    [{}, { 'io.modelcontextprotocol/protocolVersion': '1900-01-01' }, 400, -32022],
    [{}, { 'io.modelcontextprotocol/clientCapabilities': undefined }, 400, -32602],
    [{}, { 'io.modelcontextprotocol/protocolVersion': undefined }, 400, -32602],
  ])('compares the headers %j with what the body says, changed by %o', async (headers, changed, status, code) => {
    const { params, ...message } = call('get_product', { id: 'product-1' });
    const content = { ...message, params: { ...params, _meta: { ...meta, ...changed } } };
    const reply = await send(content, { ...modernHeaders, ...headers });
    expect([reply.status, reply.body.error?.code]).toEqual([status, code]);
    if (code === -32022)
      expect(reply.body.error.data.supported).toEqual([MODERN, '2025-11-25', '2025-06-18', '2025-03-26']);
  });

  test('has replies that OpenAPI describes', async () => {
    const foreign = await startService({
      DATABASE_URL: served.catalog.dsn,
      ...SHOP,
      CORS_ORIGIN: 'https://shop.example',
    });
    const modern = { ...modernHeaders, 'mcp-method': 'ping' };
    const replies = [
      await send(call('get_product', { id: 'product-1' })),
      await send([rpc('ping')]),
      await send({ jsonrpc: '2.0', method: 'notifications/initialized' }),
      await send('{'),
      await send(rpc('ping', { _meta: meta }), modern),
      await post(foreign.url, PATH, rpc('ping'), { origin: 'https://other.example' }),
    ];
    await foreign.close();
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 202, 400, 404, 403]);
    for (const { bytes, ...reply } of replies)
      expect(differences('POST', PATH, { ...reply, text: bytes.toString() })).toEqual([]);
  });

  test('has no method of the handshake for those that do without it', async () => {
    const { status, body } = await send(rpc('ping', { _meta: meta }), { ...modernHeaders, 'mcp-method': 'ping' });
    expect([status, body.error.code]).toEqual([404, -32601]);
  });
});

describe('MCP of a worker whose replies only one origin may read', () => {
  const origin = 'https://shop.example';
  const served = serveCatalog(undefined, { ...SHOP, CORS_ORIGIN: origin });

  test.each([
    [undefined, 200],
    [origin, 200],
    ['https://other.example', 403],
    ['null', 403],
  ])('answers a page of %s with %d', async (from, status) => {
    const reply = await post(served.app.url, PATH, rpc('ping'), from === undefined ? {} : { origin: from });
    expect([reply.status, reply.body.error?.code]).toEqual([status, status === 403 ? -32600 : undefined]);
  });
});

describe('MCP of a worker that cannot answer', () => {
  test('says what to set where no shop is named, and when to retry without a database', async () => {
    const away = await startService({ DATABASE_URL: 'postgres://x@127.0.0.1:1/x', READY_WAIT_MS: 0, ...SHOP });
    const shopless = await startService({ DATABASE_URL: 'postgres://x@127.0.0.1:1/x', READY_WAIT_MS: 0 });
    try {
      const { status, headers, body } = await post(away.url, PATH, call('get_product', { id: 'product-1' }));
      expect([status, headers['retry-after'], body.type]).toEqual([503, '1', 'urn:catalog:problem:unavailable']);
      expect(body).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code: -32000, data: { retry_after: 1 } } });
      const without = await post(shopless.url, PATH, rpc('ping'));
      expect([without.status, without.body.type]).toEqual([404, 'urn:catalog:problem:without-shop']);
    } finally {
      await away.close();
      await shopless.close();
    }
  });
});
