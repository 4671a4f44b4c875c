'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { promisify } = require('node:util');
const { root } = require('../../scripts/lib/runtime');
const { waitUntil } = require('../../scripts/lib/wait-until');
const { askConstantly, request, sendBytes } = require('../helpers/http');
const { differences } = require('../helpers/openapi');
const { loopbacks } = require('../helpers/servers');
const { startStack } = require('../helpers/stack');

/** @type {import('../helpers/stack').Stack} */
let stack;
/** @param {string} path @param {Parameters<typeof request>[1]} [options] */
const ask = (path, options) => request(stack.url, { path, ...options });

beforeAll(async () => {
  // No collector for traces, and every request in the log, where the test reads what the chain passes on.
  const env = { ACCESS_LOG_RATIO: '1', OTLP_TRACES_URL: 'http://127.0.0.1:9/v1/traces' };
  stack = await startStack({ env });
}, 120_000);
afterAll(() => stack?.stop(), 60_000);

/**
 * The requests that reached a worker, as nginx logged them.
 * @param {string} mark in the query
 * @returns {Promise<string[]>} cache status of each, in order
 */
async function cacheStatuses(mark, count = 1) {
  const file = path.join(stack.state, 'logs/nginx-access.log');
  const read = () =>
    fs
      .readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .filter(({ uri }) => uri.includes(mark));
  // The log is buffered for a second.
  expect(await waitUntil(() => read().length >= count, 10_000)).toBe(true);
  return read().map(({ cache }) => cache);
}

/** @param {string} mark in the URL @returns {Promise<any>} the line of the worker that answered */
async function workerLine(mark) {
  const logs = path.join(stack.state, 'logs');
  const read = () =>
    fs
      .readdirSync(logs)
      .filter((name) => name.startsWith('worker-'))
      .flatMap((name) => fs.readFileSync(path.join(logs, name), 'utf8').split('\n'))
      .filter((line) => line.includes(mark))
      .map((line) => JSON.parse(line));
  expect(await waitUntil(() => read().length > 0, 10_000)).toBe(true);
  return read()[0];
}

/** @param {Awaited<ReturnType<typeof request>>} reply @param {number} status */
function expectProblem(reply, status) {
  expect(reply.status).toBe(status);
  expect(reply.headers['content-type']).toBe('application/problem+json');
  expect(JSON.parse(reply.body)).toMatchObject({ status, type: expect.stringMatching(/^urn:/) });
}

describe('through the real chain', () => {
  test('every listener answers on both loopback addresses', async () => {
    for (const [name, path] of [
      ['port', '/products/1'],
      ['worker-port', '/products/1'],
      ['admin-port', '/livez'],
    ])
      for (const host of loopbacks) {
        const port = stack.ports[/** @type {keyof typeof stack.ports} */ (name)];
        expect((await request(`http://${net.isIPv6(host) ? `[${host}]` : host}:${port}`, { path })).status).toBe(200);
      }
  });

  test('HTTP/1.0 needs no Host', async () => {
    const answer = await sendBytes(stack.ports.port, 'GET /products/2 HTTP/1.0\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.[01] 200 /);
  });

  test.each(['/products', '/products/1', '/products/1/styles', '/products/1/related', '/docs', '/openapi.json'])(
    '%s answers',
    async (path) => {
      expect((await ask(path)).status).toBe(200);
    },
  );

  test('HEAD has the length of GET and no body', async () => {
    const [get, head] = [await ask('/products/1'), await ask('/products/1', { method: 'HEAD' })];
    expect(head.status).toBe(200);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect(head.body).toBe('');
  });

  test('a matching ETag gets a 304, cached or not', async () => {
    for (const path of ['/products/1', '/products?count=2&count%20=1']) {
      const { headers } = await ask(path);
      for (let round = 0; round < 10; round += 1) {
        const again = await ask(path, { headers: { 'If-None-Match': String(headers.etag) } });
        expect(again).toMatchObject({ status: 304, body: '' });
      }
    }
  });

  test('a matching ETag gets a 304 at once, whether or not the reply can be cached', async () => {
    const worker = `http://127.0.0.1:${stack.ports['worker-port']}`;
    const lists = [...Array(10).fill(51), 300].map((count) => `/products?count=${count}`);
    for (const path of ['/products/41', '/products/41/styles', ...lists]) {
      const { headers } = await request(worker, { path });
      const revalidation = { 'If-None-Match': String(headers.etag) };
      expect(await ask(path, { headers: revalidation })).toMatchObject({ status: 304, body: '' });
    }
  });

  test('a client that does not accept gzip never gets it', async () => {
    const path = '/products?count=50';
    const gzip = { headers: { 'Accept-Encoding': 'br, gzip' } };
    for (let round = 0; round < 10; round += 1) {
      expect((await ask(path, gzip)).headers['content-encoding']).toBe('gzip');
      expect((await ask(path)).headers['content-encoding']).toBeUndefined();
      const refused = await ask(path, { headers: { 'Accept-Encoding': 'gzip;q=0' } });
      expect(refused.headers['content-encoding']).toBeUndefined();
    }
  });

  test("a client's request id is returned, with cached replies too", async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = `caller-${round}`;
      const { headers } = await ask('/products/2', { headers: { 'X-Request-Id': id } });
      expect(headers['x-request-id']).toBe(id);
    }
  });

  test.each(['/metrics', '/livez', '/readyz', '/metrics/', '/%6detrics'])('%s is not public', async (path) =>
    expectProblem(await ask(path), 404),
  );
});

describe('nginx answers with a problem document', () => {
  test('to a path that is too long', async () => {
    expectProblem(await ask(`/products/${'1'.repeat(10_000)}`), 414);
  });
  test('to a header that is too long', async () => {
    expectProblem(await ask('/products', { headers: { 'X-Long': 'x'.repeat(10_000) } }), 431);
  });
  test('to a body that is too long, on every route', async () => {
    const headers = { 'Content-Length': '100000' };
    for (const path of ['/products', '/products/1', '/products/1/styles', '/products/1/related', '/docs'])
      for (const method of ['GET', 'OPTIONS', 'POST']) {
        const refused = await ask(path, { method, headers });
        expectProblem(refused, 413);
        expect(method === 'POST' ? [] : differences(method, path, { ...refused, text: refused.body })).toEqual([]);
      }
  });
  test('to a method that no document has, before its body takes the place of a request', async () => {
    const posted = await ask('/products/1', { method: 'POST', headers: { 'Content-Length': '10' } });
    expectProblem(posted, 405);
    expect(posted.headers.allow).toBe('GET, HEAD, OPTIONS');
  });
  test('to a failed precondition, whether the reply is cached or not', async () => {
    const headers = { 'If-Match': '"another"' };
    for (let round = 0; round < 10; round += 1) expectProblem(await ask('/products/42', { headers }), 412);
  });
  test('to a cursor of a lost database, whether the reply is cached or not', async () => {
    const headers = { 'Catalog-Min-Cursor': '0.1' };
    for (const path of ['/products/42', '/products?count=3', '/catalog']) {
      for (let round = 0; round < 9; round += 1) await ask(path);
      for (let round = 0; round < 3; round += 1) expectProblem(await ask(path, { headers }), 410);
    }
  });
  test('and a failed precondition on a cached reply keeps the connection open', async () => {
    for (let round = 0; round < 9; round += 1) await ask('/products/45');
    const get = 'GET /products/45 HTTP/1.1\r\nHost: x\r\n';
    const bytes = `${get}\r\n${get}If-Match: "another"\r\n\r\n${get}Connection: close\r\n\r\n`;
    const text = await sendBytes(stack.ports.port, bytes);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 412', 'HTTP/1.1 200']);
  });
  test('to a query with a byte that no URL has, whether the reply without it is cached or not', async () => {
    for (const path of ['/products/46', '/products?page=6']) {
      for (let round = 0; round < 9; round += 1) await ask(path);
      const bytes = `GET ${path}${path.includes('?') ? '&' : '?'}utm=é HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      expect(await sendBytes(stack.ports.port, bytes)).toMatch(/^HTTP\/1.1 400 /);
    }
  });
  test('but ignores conditions on dates, since no reply has a date', async () => {
    const headers = { 'If-Unmodified-Since': 'Sun, 06 Nov 1994 08:49:37 GMT' };
    for (let round = 0; round < 10; round += 1) expect((await ask('/products/43', { headers })).status).toBe(200);
  });
  test('and ignores them beside a validator', async () => {
    const { etag = '' } = (await ask('/products/44')).headers;
    const headers = { 'If-None-Match': etag, 'If-Modified-Since': 'Sun, 06 Nov 1994 08:49:37 GMT' };
    for (let round = 0; round < 10; round += 1) expect((await ask('/products/44', { headers })).status).toBe(304);
  });
  test('to a method that nginx refuses', async () => {
    const reply = await ask('/products', { method: 'TRACE' });
    expectProblem(reply, 405);
    expect(reply.headers.allow).toBe('GET, HEAD, OPTIONS');
  });
  test('to bytes that are not a request', async () => {
    const text = await sendBytes(stack.ports.port, 'GET /products HTTP/1.1\r\nHost : x\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(text).toContain('"status":400');
  });
});

describe('the micro-cache', () => {
  test.each([
    ['of a list', '/products?page=3&utm_source=list'],
    ['whose name is encoded', '/products?page=4&filter%5Bcolor%5D=list'],
    ['of a document', '/products/11?utm_source=document'],
    ['of a document, with a name of lists', '/products/12?page=1&page='],
    ['of a document, encoded', '/products/13?p%61ge='],
  ])('an unknown parameter %s does not bypass it', async (_, path) => {
    const rounds = 12; // an entry is cached from the eighth request on, and may expire meanwhile
    for (let round = 0; round < rounds; round += 1) await ask(`${path}${round}`);
    expect(await cacheStatuses(path, rounds)).toContain('HIT');
  });

  test.each([
    ['an encoded name', '?p%61ge=2'],
    ['a repeated name', '?page=1&page=2'],
    ['a repeated name apart', '?page=1&x=1&page=2'],
    ['a name without a value', '?page'],
    ['a name in capitals', '?PAGE=2'],
    ['a repeated name, once without a value', '?page=1&page'],
    ['a name behind a thousand others', `?${'a&'.repeat(1100)}page=2`],
    ['a fragment', '?page=1#&page=2'],
    ['a second question mark', '??page=2'],
    ['a second question mark before a count', '??count=3&page=2'],
  ])('%s gets its own answer and does not change cached ones', async (_, query) => {
    const direct = await request(`http://127.0.0.1:${stack.ports['worker-port']}`, {
      path: `/products${query}`,
    });
    const paths = ['/products', '/products?page=1', '/products?page=2'];
    const bodies = async () => {
      const kept = [];
      for (const path of paths) for (let round = 0; round < 9; round += 1) kept.push((await ask(path)).body);
      return kept;
    };
    const before = await bodies();
    for (let round = 0; round < 9; round += 1) {
      const reply = await ask(`/products${query}`);
      expect(reply.status).toBe(direct.status);
      if (direct.status === 200) expect(reply.body).toBe(direct.body);
    }
    expect(await bodies()).toEqual(before);
  });

  test('errors are not cached', async () => {
    const rounds = 10;
    for (let round = 0; round < rounds; round += 1) await ask('/products/2147483647?mark=absent');
    expect(await cacheStatuses('mark=absent', rounds)).toEqual(Array(rounds).fill('MISS'));
  });
});

describe('a request can be followed', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

  test("by its id in the reply, nginx's log and the worker's log", async () => {
    const { headers } = await ask('/products?count=2&mark=follow');
    const line = await workerLine('mark=follow');
    expect(line).toMatchObject({ msg: 'request', status: 200, route: '/products' });
    expect(line.requestId).toBe(headers['x-request-id']);
    const nginxLog = () => fs.readFileSync(path.join(stack.state, 'logs/nginx-access.log'), 'utf8');
    expect(await waitUntil(() => nginxLog().includes(line.requestId), 10_000)).toBe(true);
  });

  test("by the client's trace, which nginx passes on", async () => {
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
    await ask('/products?count=4&mark=trace', { headers: { traceparent } });
    expect((await workerLine('mark=trace')).traceId).toBe(traceId);
  });
});

test('npm run profile writes a CPU profile of a worker under traffic', async () => {
  const load = askConstantly(`http://127.0.0.1:${stack.ports['worker-port']}/products/1`);
  const command = [process.execPath, path.join(root, 'scripts/profile.js'), '--seconds', '1', '--state', stack.state];
  const { stdout } = await promisify(execFile)(command[0], command.slice(1));
  await load.stop();
  const [file] = stdout.split('\n');
  const { nodes, samples } = JSON.parse(fs.readFileSync(file, 'utf8'));
  fs.rmSync(file);
  const urls = nodes.map((/** @type {any} */ { callFrame }) => callFrame.url);
  expect(urls).toContainEqual(expect.stringContaining('/server/'));
  expect(samples.length).toBeGreaterThan(0);
});
