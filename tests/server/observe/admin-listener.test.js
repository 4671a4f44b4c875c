'use strict';

const { subscribe, unsubscribe } = require('node:diagnostics_channel');

const { serveCatalog } = require('../../helpers/app');
const { manyProducts } = require('../../helpers/database');
const { request, sendBytes } = require('../../helpers/http');

describe('the admin listener', () => {
  const served = serveCatalog(manyProducts(5));
  const bytesOf = (/** @type {string} */ text) => sendBytes(Number(new URL(served.app.adminUrl).port), text);
  /** A head with its length, and the body. @param {string} answer */
  const parts = (answer) => {
    const [head, ...body] = answer.split('\r\n\r\n');
    const length = Number(/\r\nContent-Length: (\d+)/.exec(head)?.[1]);
    return { head, length, body: body.join('\r\n\r\n') };
  };

  test.each([
    ['/livez', 'text/plain; charset=utf-8', /^ok\n$/],
    ['/readyz', 'application/json', /^\{"ready":true,"database":"up",/],
    ['/metrics', 'text/plain; version=0.0.4; charset=utf-8', /^# HELP [\s\S]*\n$/],
  ])('%s: GET, HEAD and HTTP/1.0 have the same head, which fits the body', async (path, type, wanted) => {
    const get = await request(served.app.adminUrl, { path });
    expect([get.status, get.headers['content-type'], get.headers['cache-control']]).toEqual([200, type, 'no-store']);
    expect(get.body).toMatch(wanted);
    expect(get.body).toHaveLength(Number(get.headers['content-length']));

    const head = await request(served.app.adminUrl, { path, method: 'HEAD' });
    expect([head.status, head.headers['content-type'], head.body]).toEqual([200, type, '']);

    const old = parts(await bytesOf(`GET ${path} HTTP/1.0\r\n\r\n`));
    expect(old.head).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nConnection: close/);
    expect(old.body).toMatch(wanted);
    expect(Buffer.byteLength(old.body)).toBe(old.length);
  });

  test('an open connection gets complete replies, one after the other', async () => {
    const ask = (more = '') => `GET /livez HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
    const answers = await bytesOf(ask() + ask() + ask('Connection: close\r\n'));
    expect(answers.match(/HTTP\/1\.1 200 OK\r\n/g)).toHaveLength(3);
    expect(answers.match(/\r\n\r\nok\n/g)).toHaveLength(3);
    expect(answers.match(/\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n/g)).toHaveLength(2);
  });

  test.each(['keep-alive', 'close'])('a body that is not ASCII is counted in bytes (%s)', async (connection) => {
    served.app.service.events.emit('replied', 'größe–', 200, 0);
    const { status, headers, body } = await request(served.app.adminUrl, {
      path: '/metrics',
      headers: { Connection: connection },
    });
    expect([status, headers.connection]).toEqual([200, connection]);
    expect(body).toHaveLength(Number(headers['content-length'])); // latin1: one character a byte
    expect(Buffer.from(body, 'latin1').toString()).toContain('{route="größe–",status="200"} ');
  });

  test('makes messages of the classes that the public listener makes', async () => {
    /** @type {Map<unknown, unknown[]>} by server */
    const made = new Map();
    const note = (/** @type {any} */ { server, request: req, response: res }) =>
      made.set(server, [Object.getPrototypeOf(req), Object.getPrototypeOf(res)]);
    subscribe('http.server.request.start', note);
    await request(served.app.url, { path: '/products/2' });
    await request(served.app.adminUrl, { path: '/livez' });
    unsubscribe('http.server.request.start', note);
    const [[req, res], admin] = [...made.values()];
    expect(made.size).toBe(2);
    expect(admin[0] === req && admin[1] === res).toBe(true);
  });
});
