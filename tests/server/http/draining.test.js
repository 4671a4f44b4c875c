'use strict';

const { subscribe } = require('node:diagnostics_channel');
const { once } = require('node:events');
const net = require('node:net');
const { buffer } = require('node:stream/consumers');

const { startService, until } = require('../../helpers/app');
const { createCatalog, idOf, manyProducts } = require('../../helpers/database');
const { request } = require('../../helpers/http');

test('a draining worker finishes requests in progress, sends Connection: close, and is not ready', async () => {
  const catalog = await createCatalog(manyProducts(5));
  const app = await startService({ DATABASE_URL: catalog.dsn, DRAIN_GRACE_MS: 1000 });
  try {
    await catalog.client.query('BEGIN; LOCK TABLE catalog.product_documents IN ACCESS EXCLUSIVE MODE');
    const underWay = fetch(`${app.url}/products/2`);
    await until(async () =>
      /in_flight\{.*lane="short"\} 1/.test(await (await fetch(`${app.adminUrl}/metrics`)).text()),
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

test('an uncaught error fails the requests in progress, and no later ones', async () => {
  const catalog = await createCatalog(manyProducts(5));
  const app = await startService({ DATABASE_URL: catalog.dsn });
  const inFlight = (/** @type {number} */ count) => async () =>
    new RegExp(`in_flight\\{.*lane="short"\\} ${count}`).test(await (await fetch(`${app.adminUrl}/metrics`)).text());
  try {
    await catalog.client.query('BEGIN; LOCK TABLE catalog.product_documents IN ACCESS EXCLUSIVE MODE');
    const before = fetch(`${app.url}/products/2`);
    await until(inFlight(1));
    app.service.refuseUnderWay(new Error('made by a test'), 1000);
    const after = fetch(`${app.url}/products/${idOf(3)}`);
    await until(inFlight(2));
    expect((await before).status).toBe(500);
    await catalog.client.query('COMMIT');
    expect((await after).status).toBe(200);
  } finally {
    await app.close();
    await catalog.drop();
  }
});

test('a stop answers requests, and does not wait for connections without one', async () => {
  const catalog = await createCatalog(manyProducts(5));
  const app = await startService({ DATABASE_URL: catalog.dsn, DRAIN_DEADLINE_MS: 25_000 });
  const sent = {
    nothing: '',
    'half a head': 'GET /products/2 HTTP/1.1\r\nHost: x\r\n',
    'half a body': 'GET /products/2 HTTP/1.1\r\nHost: x\r\nContent-Length: 30\r\n\r\n{"a',
    'a whole request': 'GET /products/2 HTTP/1.1\r\nHost: x\r\n\r\n',
  };
  try {
    await catalog.client.query('BEGIN; LOCK TABLE catalog.product_documents IN ACCESS EXCLUSIVE MODE');
    let begun = 0;
    subscribe(
      'http.server.request.start',
      (/** @type {any} */ { request: { url } }) => (begun += Number(url === '/products/2')),
    );
    const figures = async () => (await fetch(`${app.adminUrl}/metrics`)).text();
    const replies = await Promise.all(
      Object.values(sent).map(async (bytes) => {
        const socket = net.connect(app.service.ports.http, '127.0.0.1');
        await once(socket, 'connect');
        let text = '';
        const closed = new Promise((resolve) => void socket.on('error', resolve).on('close', resolve));
        socket.on('data', (data) => (text += data));
        socket.write(bytes);
        return { reply: async () => (await closed, text) };
      }),
    );
    await until(async () => /in_flight\{.*lane="short"\} 1/.test(await figures()));
    await until(() => begun === 2); // half a body has come
    const stopped = app.close();
    const [nothing, head, body] = await Promise.all(replies.slice(0, 3).map(({ reply }) => reply()));
    await catalog.client.query('COMMIT');
    expect([nothing, head, body]).toEqual(['', '', '']);
    expect(await replies[3].reply()).toMatch(/^HTTP\/1.1 200 /);
    await stopped;
  } finally {
    await catalog.drop();
  }
});

describe('a stop while a client does not read', () => {
  // More than the kernel buffers, and after it a short reply, which is written in another way.
  const paths = ['/products?count=20000', '/products/2'];
  /** @type {import('../../helpers/database').TestCatalog} */
  let catalog;
  beforeAll(async () => void (catalog = await createCatalog(manyProducts(20_000))));
  afterAll(() => catalog?.drop());

  /** @param {number} deadlineMs */
  async function ask(deadlineMs) {
    const app = await startService({ DATABASE_URL: catalog.dsn, DRAIN_DEADLINE_MS: deadlineMs });
    const bodies = await Promise.all(paths.map(async (path) => (await request(app.url, { path })).body));
    const socket = net.connect(app.service.ports.http, '127.0.0.1');
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
    await once(socket, 'readable');
    return { app, socket, bodies };
  }

  test('ends as soon as both replies are read', async () => {
    const { app, socket, bodies } = await ask(25_000);
    const stopped = app.close();
    const refused = () =>
      request(app.url).then(
        () => false,
        () => true,
      );
    await until(refused);
    const [, list, product] = (await buffer(socket)).toString('latin1').split('\r\n\r\n');
    expect([list.startsWith(bodies[0]), product === bodies[1]]).toEqual([true, true]);
    await stopped;
  }, 20_000); // less than the deadline

  test('ends at its deadline', async () => {
    const { app, socket, bodies } = await ask(200);
    await app.close();
    const read = await buffer(socket).catch(() => Buffer.alloc(0));
    expect(read.length).toBeLessThan(bodies[0].length);
  });
});
