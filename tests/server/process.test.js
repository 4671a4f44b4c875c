'use strict';

const net = require('node:net');

const { createProxy } = require('../lab/testbed/proxy');
const { until } = require('../helpers/app');
const { createCatalog, manyProducts } = require('../helpers/database');
const { freePort, loopbacks, overTcp, socketDirOf } = require('../helpers/servers');
const { startReadyWorker, startWorker } = require('../helpers/worker');

describe('a worker process', () => {
  /** @type {import('../helpers/database').TestCatalog} */
  let catalog;
  beforeAll(async () => {
    catalog = await createCatalog(manyProducts(5));
  });
  afterAll(async () => catalog?.drop());

  /** @param {Record<string, string | number>} [more] */
  const running = (more = {}) => startReadyWorker({ DATABASE_URL: catalog.dsn, ...more });

  test.each(/** @type {const} */ (['SIGINT', 'SIGTERM']))(
    'reports that it is ready once it answers, and ends with 0 on %s',
    async (signal) => {
      const { child, exited, message, url } = await running();
      expect(message).toBe('ready');
      expect((await fetch(`${url}/products/2`)).status).toBe(200);
      child.kill(signal);
      expect(await exited).toEqual([0, null]);
    },
  );

  test('ends at once on a second signal', async () => {
    const { child, exited, output } = await running({ DRAIN_GRACE_MS: 8000 });
    child.kill('SIGTERM');
    await until(() => output().includes('"msg":"draining"'));
    child.kill('SIGTERM');
    expect(await exited).toEqual([1, null]);
  });

  test('ends with 0 on a signal while PostgreSQL is silent', async () => {
    const proxy = await createProxy({ path: `${socketDirOf(catalog.dsn)}/.s.PGSQL.5432` });
    const { child, exited } = await running({
      DATABASE_URL: overTcp(catalog.dsn, proxy.port),
      VERSION_POLL_MS: 50,
      DRAIN_DEADLINE_MS: 1000,
      // beyond the end of the test: no timeout of a query ends the silence
      PG_STATEMENT_TIMEOUT_MS: 50_000,
      PG_QUERY_TIMEOUT_MS: 60_000,
    });
    proxy.hold(true);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    await proxy.close();
  });

  test.each(loopbacks)('reports a port in use at %s in one line with the next step', async (host) => {
    const holder = net.createServer();
    const port = await freePort();
    await new Promise((resolve) => void holder.listen(port, host, () => resolve(null)));
    const { exited, output } = startWorker({
      DATABASE_URL: catalog.dsn,
      PORT: port,
      ADMIN_PORT: await freePort(),
      LOG_LEVEL: 'silent',
    });
    expect((await exited)[0]).toBe(1);
    expect(output()).toBe(
      `${net.isIPv6(host) ? `[${host}]` : host}:${port} is in use. Stop what listens there, or set PORT and ADMIN_PORT.\n`,
    );
    holder.close();
  });

  test('lists wrong settings and does not start', async () => {
    const { exited, output } = startWorker({ PORT: 'x', L1_MAX_BYTES: 1 });
    expect((await exited)[0]).toBe(1);
    for (const name of ['PORT', 'L1_MAX_BYTES', 'DATABASE_URL']) expect(output()).toContain(name);
  });

  test('without a database, starts, reports it in /readyz and keeps running', async () => {
    const { child, exited, output, url, adminUrl } = await running({
      DATABASE_URL: 'postgres://x@127.0.0.1:1/x',
      READY_WAIT_MS: 100,
    });
    expect((await fetch(`${url}/products/2`)).status).toBe(503);
    const ready = await fetch(`${adminUrl}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, expect.objectContaining({ database: 'down' })]);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(output()).toContain('answering 503'); // a burst is gathered for a second: its end wrote it
  });
});
