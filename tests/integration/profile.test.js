'use strict';

const http = require('node:http');

const { startService } = require('../helpers/app');
const { createCatalog } = require('../helpers/database');

/** @param {string} url @param {string} from an address of this machine @returns {Promise<[number | undefined, string]>} */
const post = (url, from) =>
  new Promise((resolve, reject) => {
    const call = http.request(url, { method: 'POST', localAddress: from, agent: false }, (reply) => {
      let body = '';
      reply.on('data', (chunk) => (body += chunk));
      reply.on('end', () => resolve([reply.statusCode, body]));
    });
    call.on('error', reject);
    call.end();
  });

describe('CPU profiles', () => {
  /** @type {import('../helpers/database').TestCatalog} */
  let catalog;
  beforeAll(async () => {
    catalog = await createCatalog();
  });
  afterAll(async () => catalog?.drop());

  test('off until a setting says otherwise', async () => {
    const app = await startService({ DATABASE_URL: catalog.dsn });
    const [status, body] = await post(`${app.adminUrl}/profile`, '127.0.0.1');
    expect([status, body]).toEqual([403, 'off: set PROFILING=on and reload the worker\n']);
    await app.close();
  });

  test('one at a time, of a sane length, for callers on this machine', async () => {
    const settings = { PROFILING: 'on', ADMIN_HOST: '0.0.0.0' };
    const app = await startService({ DATABASE_URL: catalog.dsn, ...settings });
    const url = `${app.adminUrl}/profile`;
    // Another address at the other end is what a caller from another machine has.
    expect((await post(url, '127.0.0.2'))[0]).toBe(403);
    // So does sshd on a node: to its own address it connects from that address.
    const own = url.replace('127.0.0.1', '127.0.0.2');
    expect((await post(`${own}?seconds=0.1`, '127.0.0.2'))[0]).toBe(200);
    expect((await fetch(url)).status).toBe(405);
    for (const seconds of ['0', '61', 'x']) expect((await post(`${url}?seconds=${seconds}`, '127.0.0.1'))[0]).toBe(400);
    const [first, second] = await Promise.all([
      post(`${url}?seconds=0.2`, '127.0.0.1'),
      post(`${url}?seconds=0.2`, '127.0.0.1'),
    ]);
    expect([first[0], second[0]].sort()).toEqual([200, 409]);
    const { nodes, samples } = JSON.parse(first[0] === 200 ? first[1] : second[1]);
    expect(nodes.length).toBeGreaterThan(1);
    expect(samples.length).toBeGreaterThan(0);
    expect((await post(`${url}?seconds=0.1`, '127.0.0.1'))[0]).toBe(200);
    await app.close();
  });
});
