'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { startNginx } = require('../../../scripts/local/nginx');
const { until } = require('../../helpers/app');
const { createCatalog, idOf, manyProducts } = require('../../helpers/database');
const { request } = require('../../helpers/http');
const { differences } = require('../../helpers/openapi');
const { freePort } = require('../../helpers/servers');
const { startWorker } = require('../../helpers/worker');

/** A bug: a request with this word gets no answer, and throws where no handler catches it. */
const bug = `
  const { prototype } = require('node:http').Server;
  const { emit } = prototype;
  prototype.emit = function (event, ...rest) {
    if (event !== 'request' || !rest[0].url.includes('throw')) return Reflect.apply(emit, this, [event, ...rest]);
    setTimeout(() => { throw new Error('made by a test'); }, 5);
  };`;

describe('a request that throws in a timer, behind nginx and two workers', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'throwing-'));
  /** @type {import('../../helpers/database').TestCatalog} */
  let catalog;
  /** @type {Awaited<ReturnType<typeof startNginx>>} */
  let nginx;
  /** @type {ReturnType<typeof startWorker>[]} */
  let workers;
  let url = '';

  beforeAll(async () => {
    fs.chmodSync(dir, 0o711);
    const preload = path.join(dir, 'bug.js');
    fs.writeFileSync(preload, bug);
    catalog = await createCatalog(manyProducts(20));
    const from = await freePort(5);
    workers = [0, 1].map((index) =>
      startWorker({
        DATABASE_URL: catalog.dsn,
        PORT: from + index,
        ADMIN_PORT: from + 2 + index,
        NODE_OPTIONS: `--require=${preload}`,
      }),
    );
    for (const { child } of workers) await new Promise((resolve) => void child.once('message', resolve));
    nginx = await startNginx({
      dir,
      port: from + 4,
      workers: [0, 1].map((index) => `127.0.0.1:${from + index}`),
    });
    url = `http://127.0.0.1:${from + 4}`;
  });
  afterAll(async () => {
    for (const { child } of workers ?? []) child.kill('SIGKILL');
    await nginx?.stop();
    await catalog?.drop();
    fs.rmSync(dir, { recursive: true });
  });

  test('gets a 500 and ends one worker, while others are answered as usual', async () => {
    // From memory, so they are answered at once on a busy machine too: a read that takes 100 ms may fail with the throwing request.
    const paths = Array.from({ length: 20 }, (_, index) => `/products/${idOf(1 + index)}`);
    const { port } = new URL(url);
    for (const path of [...paths, ...paths])
      for (const back of [4, 3]) await request(`http://127.0.0.1:${Number(port) - back}`, { path });
    const ended = () => workers.filter(({ child }) => child.exitCode !== null);
    /** @type {number[]} */
    const statuses = [];
    let asked = 0;
    const others = Array.from({ length: 4 }, async () => {
      while (ended().length === 0) statuses.push((await request(url, { path: paths[asked++ % paths.length] })).status);
    });
    const reply = await request(url, { path: '/products/1?throw' });
    expect([reply.status, reply.headers['content-type']]).toEqual([500, 'application/problem+json']);
    expect(differences('GET', '/products/1', { ...reply, text: reply.body })).toEqual([]);
    await Promise.all(others);
    await until(async () => (await request(url, { path: '/products/2' })).status === 200);
    expect(ended().map(({ child }) => child.exitCode)).toEqual([1]);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test('also gets a 500 while another one has started to drain its worker', async () => {
    const left = workers.filter(({ child }) => child.exitCode === null);
    const replies = await Promise.all([0, 1].map((which) => request(url, { path: `/products/1?throw=${which}` })));
    expect(replies.map(({ status }) => status)).toEqual([500, 500]);
    expect(left).toHaveLength(1);
    expect(await left[0].exited).toEqual([1, null]);
  });
});
