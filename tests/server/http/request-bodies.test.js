'use strict';

const { once } = require('node:events');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');

const { startNginx } = require('../../../scripts/local/nginx');
const { MAX_BODY_BYTES } = require('../../../server/core/errors');
const { serveCatalog, until } = require('../../helpers/app');
const { manyProducts } = require('../../helpers/database');
const { request, sendBytes } = require('../../helpers/http');
const { freePort } = require('../../helpers/servers');

/** nginx caches a reply from its eighth request on, a worker from the second. */
const rounds = 10;
const lengthOf = (/** @type {string} */ body) => `Content-Length: ${body.length}\r\n\r\n${body}`;
const chunksOf = (/** @type {string} */ body) =>
  `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const bodies = { none: '\r\n', length: lengthOf('{}'), chunked: chunksOf('{}'), empty: lengthOf('') };
/** A body that would be answered if it were read as a request. */
const smuggled = 'GET /products/5 HTTP/1.1\r\nHost: x\r\n\r\n';

/** @param {string} line method and target @param {string} rest of the head, and the body */
const asked = (line, rest) => `${line} HTTP/1.1\r\nHost: x\r\n${rest}`;
const last = asked('GET /products/2', 'Connection: close\r\n\r\n');

/** @param {string} text @returns {string[]} replies, without what differs from one to the next */
const repliesIn = (text) =>
  text
    .replaceAll(/^Date: .*\r\n|^X-Request-Id: .*\r\n|"urn:request:[^"]*"/gm, '')
    .replaceAll(/^Connection: .*\r\n|^Keep-Alive: .*\r\n/gm, '')
    .split(/(?=HTTP\/1\.1 \d{3} )/);

/** @param {string} text @returns {string[]} */
const statusesIn = (text) => repliesIn(text).map((reply) => reply.slice(9, 12));

describe('the body of a request', () => {
  const served = serveCatalog(manyProducts(300));
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'bodies-'));
  /** @type {Awaited<ReturnType<typeof startNginx>>} */
  let nginx;
  let nginxPort = 0;
  const etags = /** @type {Record<string, string>} */ ({});
  beforeAll(async () => {
    fs.chmodSync(dir, 0o711);
    nginxPort = await freePort();
    nginx = await startNginx({ dir, port: nginxPort, workers: [new URL(served.app.url).host] });
    for (const target of ['/products/2', '/products'])
      etags[target] = String((await request(served.app.url, { path: target })).headers.etag);
  });
  afterAll(async () => {
    await nginx?.stop();
    fs.rmSync(dir, { recursive: true });
  });

  const ports = {
    'a worker': () => served.app.service.ports.http,
    nginx: () => nginxPort,
    'the admin listener': () => served.app.service.ports.admin,
  };
  const fronts = /** @type {const} */ (['a worker', 'nginx']);
  const everywhere = /** @type {const} */ (['a worker', 'nginx', 'the admin listener']);

  describe.each(fronts)('that is short, to %s, is dropped', (name) => {
    test.each([
      '/products/2',
      '/products/2/',
      '/products/2/styles',
      '/products/2/related',
      '/products',
      '/products/?count=2',
      '/products?count=300',
      '/products?after=x',
      '/products/1',
      '/products/x',
      '/products/2/x',
      '/nowhere',
      '/docs',
      '/openapi.json',
      '/metrics',
    ])('%s', async (target) => {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE']) {
        const line = `${method} ${target}`;
        const [wanted] = repliesIn(await sendBytes(ports[name](), asked(line, `Connection: close\r\n${bodies.none}`)));
        expect(wanted).toMatch(/^HTTP\/1\.1 [2-4]/);
        for (const body of Object.values(bodies)) {
          const replies = repliesIn(await sendBytes(ports[name](), asked(line, body) + last));
          expect(replies).toHaveLength(2);
          expect([replies[0], replies[1].includes('"name":"Product 1"')]).toEqual([wanted, true]);
        }
      }
    });

    test.each([
      ['a kept reply', '/products/2', () => '', '200'],
      ['a kept list', '/products', () => '', '200'],
      ['a 304', '/products/2', () => `If-None-Match: ${etags['/products/2']}\r\n`, '304'],
      ['a 304 of a list', '/products', () => `If-None-Match: ${etags['/products']}\r\n`, '304'],
      ['a 412', '/products/2', () => 'If-Match: "another"\r\n', '412'],
      ['a compressed reply', '/products?count=50', () => 'Accept-Encoding: gzip\r\n', '200'],
    ])('%s, repeatedly on one connection', async (_, target, headerOf, status) => {
      const requests = Array.from({ length: rounds }, (__, round) =>
        asked(`GET ${target}`, headerOf() + [bodies.length, bodies.chunked][round % 2]),
      );
      const text = await sendBytes(ports[name](), requests.join('') + last);
      expect(statusesIn(text)).toEqual([...Array(rounds).fill(status), '200']);
    });
  });

  test.each(everywhere)('to %s is never a request, however long it is', async (name) => {
    for (const write of [lengthOf, chunksOf]) {
      const text = await sendBytes(ports[name](), asked('GET /products/2', write(smuggled)) + last);
      expect(statusesIn(text)).toHaveLength(2);
      expect(text).not.toContain('product 5 ');
      const long = smuggled.repeat(1000);
      const refused = await sendBytes(ports[name](), asked('GET /products/2', write(long)));
      expect(statusesIn(refused)).toEqual(['413']);
    }
  });

  test.each(fronts)('to %s may have 16 KB; a longer one is a 413, the last reply of its connection', async (name) => {
    const [fits, tooLong] = [MAX_BODY_BYTES, MAX_BODY_BYTES + 1].map((length) => 'x'.repeat(length));
    for (const target of ['/products/2', '/products', '/docs', '/nowhere'])
      for (const write of [lengthOf, chunksOf]) {
        const [first, second] = statusesIn(await sendBytes(ports[name](), asked(`GET ${target}`, write(fits)) + last));
        expect([first, second]).toEqual([target === '/nowhere' ? '404' : '200', '200']);
        const text = await sendBytes(ports[name](), asked(`GET ${target}`, write(tooLong)));
        expect(statusesIn(text)).toEqual(['413']);
        expect(text).toMatch(/\r\nConnection: close\r\n/);
        expect(JSON.parse(text.split('\r\n\r\n')[1])).toMatchObject({
          type: 'urn:catalog:problem:content-too-large',
          detail: 'The body is longer than 16384 bytes. Send a shorter one to UCP, and none to any other route.',
        });
      }
  });

  test.each(everywhere)(
    'of a megabyte, sent whole to %s before anything is read, does not reset the reply',
    async (name) => {
      const socket = net.connect({ port: ports[name](), host: '127.0.0.1', allowHalfOpen: true });
      const sent = new Promise(
        (resolve) =>
          void socket.on('error', resolve).write(asked('GET /products/2', lengthOf('x'.repeat(2 ** 20))), resolve),
      );
      expect(await sent).toBeFalsy();
      const text = await new Promise((resolve) => {
        let all = '';
        socket
          .on('data', (data) => (all += data))
          .on('end', () => resolve(all))
          .on('error', resolve);
      });
      socket.destroy();
      expect(text).toMatch(/^HTTP\/1\.1 413 /);
    },
  );

  test.each(everywhere)('is requested by %s with 100 Continue only if it will be read', async (name) => {
    const expecting = (/** @type {string} */ rest) => asked('GET /products/2', `Expect: 100-continue\r\n${rest}`);
    const continued = await sendBytes(ports[name](), expecting(bodies.length) + last);
    expect(statusesIn(continued)[0]).toBe('100');
    expect(statusesIn(continued)).toHaveLength(3);
    const socket = net.connect(ports[name](), '127.0.0.1');
    socket.write(expecting(`Content-Length: ${MAX_BODY_BYTES + 1}\r\n\r\n`));
    const [first] = await once(socket, 'data');
    socket.destroy();
    expect(String(first)).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('is not passed on by nginx, and does not change the cache key', async () => {
    const ids = [11, 12];
    for (const id of ids)
      for (let round = 0; round < rounds; round += 1)
        await sendBytes(nginxPort, asked(`GET /products/2?${id}`, `Connection: close\r\n${lengthOf(`{"${id}":1}`)}`));
    const log = path.join(dir, 'logs/nginx-access.log');
    await until(() => fs.readFileSync(log, 'utf8').includes('"uri":"/products/2?12","status":200'));
    await until(() => /"uri":"\/products\/2\?12".*"cache":"HIT"/.test(fs.readFileSync(log, 'utf8')));
  });
});
