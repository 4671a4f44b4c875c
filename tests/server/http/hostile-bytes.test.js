'use strict';

const { once } = require('node:events');
const net = require('node:net');
const { text } = require('node:stream/consumers');

const { serveCatalog, until } = require('../../helpers/app');
const { manyProducts } = require('../../helpers/database');
const { sendBytes } = require('../../helpers/http');

/** @param {string} url */
const port = (url) => Number(new URL(url).port);

const ask = (/** @type {string} */ target, head = 'Host: x\r\n') => `GET ${target} HTTP/1.1\r\n${head}\r\n`;
const last = ask('/products/2', 'Host: x\r\nConnection: close\r\n');

/** @param {string} answer @param {number} status @param {string} slug */
function expectProblem(answer, status, slug) {
  const [head, body] = answer.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} [A-Z]`));
  expect(head).toContain('\r\nContent-Type: application/problem+json\r\n');
  expect(head).toContain("\r\nContent-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n");
  const [, id] = /\r\nX-Request-Id: (\S+)/.exec(head) ?? [];
  expect(JSON.parse(body)).toMatchObject({
    type: `urn:catalog:problem:${slug}`,
    status,
    instance: `urn:request:${id}`,
  });
}

/** Connections of the worker, which runs in this process, and of its clients. */
const socketsOfThisProcess = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

describe('bytes that no browser sends', () => {
  const served = serveCatalog(manyProducts(5), { HTTP_HEADERS_TIMEOUT_MS: 1000, HTTP_REQUEST_TIMEOUT_MS: 1000 });

  test('a client that sends half a header and never closes does not keep its connection', async () => {
    const before = socketsOfThisProcess();
    const socket = net.connect({
      port: port(served.app.url),
      host: '127.0.0.1',
      allowHalfOpen: true,
    });
    await until(() => socketsOfThisProcess() === before + 2);
    socket.resume().write('GET /products HTTP/1.1\r\nHost: half');
    await once(socket, 'end');
    await until(() => socketsOfThisProcess() === before + 1);
    expect(socket.closed).toBe(false);
    socket.destroy();
  });

  test('a request whose head or body does not end gets one reply, a 408', async () => {
    const head = 'GET /products HTTP/1.1\r\nHost: half';
    const bodies = ['GET', 'POST'].map(
      (method) => `${method} /products/2 HTTP/1.1\r\nHost: x\r\nContent-Length: 30\r\n\r\n{"a`,
    );
    const answers = await Promise.all([head, ...bodies].map((bytes) => sendBytes(port(served.app.url), bytes)));
    for (const answer of answers) expectProblem(answer, 408, 'request-timeout');
    expect(answers.map((answer) => answer.match(/HTTP\/1\.1/g)?.length)).toEqual([1, 1, 1]);
  });

  /** L1 answers before the bytes after the head are parsed. */
  async function keepInL1() {
    for (let read = 0; read < 3; read += 1) await fetch(`${served.app.url}/products/2`);
  }

  test.each([
    ['has a chunk of no size', 'Transfer-Encoding: chunked\r\n\r\nZZ\r\n'],
    ['has a chunk that ends in LF alone', 'Transfer-Encoding: chunked\r\n\r\n1\na\n'],
    ['has a chunk that is too long', 'Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n'],
    ['has an unknown coding', 'Transfer-Encoding: gzip\r\n\r\n'],
    ['ends before it is whole', 'Content-Length: 30\r\n\r\n{"a'],
    ['ends in trailers that are no headers', 'Transfer-Encoding: chunked\r\n\r\n0\r\nno trailer\r\n\r\n'],
    ['ends in trailers that are too long', `Transfer-Encoding: chunked\r\n\r\n0\r\nX: ${'x'.repeat(20_000)}`],
  ])('a body that %s gets one reply, since a second one would answer the next request', async (_, body) => {
    const target = ask('/products/2').trimEnd();
    await keepInL1();
    for (const url of [served.app.url, served.app.adminUrl]) {
      const answer = await text(net.connect(port(url), '127.0.0.1').end(`${target}\r\n${body}`));
      expect(answer.match(/HTTP\/1\.1 4\d\d/g)).toHaveLength(1);
      expect(answer.match(/HTTP\/1\.1 \d/g)).toHaveLength(1);
    }
  });

  test.each(['GET / HTTP/1.1\rHost: x\r\n\r\n', 'GET / HTTP/1.1\r\nA:\r b\r\n\r\n', 'x\r\n\r\n'])(
    '%j after a valid request still gets its problem',
    async (bytes) => {
      await keepInL1();
      const answer = await sendBytes(port(served.app.url), ask('/products/2') + bytes);
      expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    },
  );

  test.each([9, 2])(
    'bytes after a last request, for product %s, are ignored: it gets only its own reply',
    async (id) => {
      await keepInL1(); // product 2; the read of product 9 is in progress when the bytes are parsed
      const lastOf = ask(`/products/${id}`, 'Host: x\r\nConnection: close\r\n');
      const answer = await sendBytes(port(served.app.url), `${lastOf}x\r\n\r\n`);
      expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
      expect(answer).toContain(`"id":${id},`);
    },
  );

  test('endless headers get a problem, not a crash', async () => {
    const long = `GET /products HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`;
    expect(await sendBytes(port(served.app.url), long)).toContain('urn:catalog:problem:headers-too-large');
    expect((await fetch(`${served.app.url}/products`)).status).toBe(200);
  });

  const targets = ['//a@xn--a/x#y', '//a@[/#', 'http://[/products', '/products#?count=20000', '/products/1#'];
  test.each(targets)('the target %s is a 400 at once, and its connection stays open', async (target) => {
    const before = socketsOfThisProcess();
    const answers = await sendBytes(port(served.app.url), ask(target) + last);
    const [first, second] = answers.split(/(?=HTTP\/1\.1 200)/);
    expectProblem(first, 400, 'malformed-request');
    expect(second).toContain('"name":"Product 1"');
    await until(() => socketsOfThisProcess() <= before);
  });

  test.each([
    ['no Host', '', 400, 'malformed-request'],
    ['an unknown expectation', 'Host: x\r\nExpect: more\r\n', 417, 'expectation-failed'],
  ])('a request with %s gets a problem, not an empty reply', async (_, head, status, slug) => {
    const answers = await sendBytes(port(served.app.url), ask('/products/2', head) + last);
    const [first, second] = answers.split(/(?=HTTP\/1\.1 200)/);
    expectProblem(first, status, slug);
    expect(second).toContain('"name":"Product 1"');
  });

  test('HTTP/1.0 needs no Host', async () => {
    expect(await sendBytes(port(served.app.url), 'GET /products/2 HTTP/1.0\r\n\r\n')).toContain('"name":"Product 1"');
  });

  test('bytes that are not HTTP get a problem, and count as a reply', async () => {
    const before = served.app.counts.replied ?? 0;
    expectProblem(await sendBytes(port(served.app.url), 'x\r\n\r\n'), 400, 'malformed-request');
    expect(served.app.counts.replied).toBe(before + 1);
  });

  test('a path that is not a URL does not break the admin listener', async () => {
    expect(
      await sendBytes(port(served.app.adminUrl), 'GET // HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    ).toMatch(/^HTTP\/1.1 404 /);
    expect((await fetch(`${served.app.adminUrl}/livez`)).status).toBe(200);
  });
});
