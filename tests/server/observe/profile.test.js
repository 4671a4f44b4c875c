'use strict';

const { startService } = require('../../helpers/app');
const { createCatalog } = require('../../helpers/database');
const { request } = require('../../helpers/http');

/** @param {string} url @param {string} [localAddress] of this machine */
const post = (url, localAddress = '127.0.0.1') => request(url, { method: 'POST', localAddress });

describe('CPU profiles', () => {
  /** @type {import('../../helpers/database').TestCatalog} */
  let catalog;
  beforeAll(async () => {
    catalog = await createCatalog();
  });
  afterAll(async () => catalog?.drop());

  test('are off by default', async () => {
    const app = await startService({ DATABASE_URL: catalog.dsn });
    const refused = { status: 403, body: 'off: set PROFILING=on and reload the worker\n' };
    expect(await post(`${app.adminUrl}/profile`)).toMatchObject(refused);
    await app.close();
  });

  test('are taken one at a time, of limited length, for local callers only', async () => {
    const settings = { PROFILING: 'on', ADMIN_HOST: '0.0.0.0' };
    const app = await startService({ DATABASE_URL: catalog.dsn, ...settings });
    const url = `${app.adminUrl}/profile`;
    // Another address at the other end is what a caller from another machine has.
    expect((await post(url, '127.0.0.2')).status).toBe(403);
    // So does sshd on a node: to its own address it connects from that address.
    const own = url.replace('127.0.0.1', '127.0.0.2');
    expect((await post(`${own}?seconds=0.1`, '127.0.0.2')).status).toBe(200);
    expect((await fetch(url)).status).toBe(405);
    for (const seconds of ['0', '61', 'x']) expect((await post(`${url}?seconds=${seconds}`)).status).toBe(400);
    const both = await Promise.all([1, 2].map(() => post(`${url}?seconds=0.2`)));
    const [made, busy] = both.sort((one, other) => one.status - other.status);
    expect([made.status, busy.status]).toEqual([200, 409]);
    const { nodes, samples } = JSON.parse(made.body);
    expect(nodes.length).toBeGreaterThan(1);
    expect(samples.length).toBeGreaterThan(0);
    expect((await post(`${url}?seconds=0.1`)).status).toBe(200);
    await app.close();
  });
});
