'use strict';

const { setTimeout: pause } = require('node:timers/promises');

const { loadConfig } = require('../../server/config/config');
const { createProxy } = require('../lab/testbed/proxy');
const { serveCatalog, until } = require('../helpers/app');
const { idOf, manyProducts } = require('../helpers/database');
const { overTcp, socketDirOf } = require('../helpers/servers');

/** Promised is a second with the limits that a worker has by default. Here everything takes twice as long, for slow machines. */
const SLOWER = 2;
const STALL_MS = SLOWER * 1000;
const LIMITS = /** @type {const} */ (['PG_LOCK_TIMEOUT_MS', 'PG_STATEMENT_TIMEOUT_MS', 'PG_QUERY_TIMEOUT_MS']);
const CALLERS = 64;

describe('while PostgreSQL stalls for a second', () => {
  /** @type {Awaited<ReturnType<typeof createProxy>>} */
  let proxy;
  const served = serveCatalog(manyProducts(2000), async ({ dsn }) => {
    proxy = await createProxy({ path: `${socketDirOf(dsn)}/.s.PGSQL.5432` });
    const usual = loadConfig({ DATABASE_URL: dsn });
    const limits = LIMITS.map((name) => [name, SLOWER * usual[name]]);
    return { DATABASE_URL: overTcp(dsn, proxy.port), ...Object.fromEntries(limits) };
  });
  afterAll(() => proxy?.close());

  const ask = async (/** @type {string} */ path) => (await fetch(served.app.url + path)).status;
  /** Reads have been sent to the database. */
  const areUnderWay = async () =>
    /database_in_flight\{.*lane="short"\} [1-9]/.test(await (await fetch(`${served.app.adminUrl}/metrics`)).text());

  /** Paths of every kind that no cache has. @param {number} index below 100 */
  const everyPath = (index) => [
    `/products/${idOf(index)}`,
    `/products/${idOf(index)}/styles`,
    `/products/${idOf(index)}/related`,
    `/products?page=${index}&count=7`,
    `/products?after=${index}&count=7`,
    `/products?page=1&count=${200 + index}`,
    `/products?after=1&count=${200 + index}`,
  ];

  /** Clients that send requests repeatedly, each for another product. @param {number} from @param {() => boolean} isOver */
  const callers = (from, isOver) =>
    Array.from({ length: CALLERS }, async (_, caller) => {
      const statuses = new Set();
      for (let index = from + caller; !isOver(); index = from + ((index - from + CALLERS) % 800))
        statuses.add(await ask(`/products/${idOf(index)}`));
      return [...statuses];
    });

  /** @param {number} from first index of the products @param {() => unknown} begin @param {() => unknown} end */
  async function expectNothingFails(from, begin, end) {
    for (const path of everyPath(from)) expect(await ask(path)).toBe(200); // the statements are prepared
    proxy.set({ delayMs: 100 });
    const sent = everyPath(from + 1).map(ask);
    await until(areUnderWay);
    await begin();
    proxy.set({ delayMs: 0 });
    const arriving = everyPath(from + 2).map(ask);
    let over = false;
    const asking = callers(from + 200, () => over);
    await pause(STALL_MS);
    await end();
    over = true;
    expect(await Promise.all([...sent, ...arriving])).toEqual(Array(14).fill(200));
    expect(await Promise.all(asking)).toEqual(Array(CALLERS).fill([200]));
    expect(served.app.counts.databaseLost).toBeUndefined();
  }

  test('in the network, no read fails that was sent before or during it', () =>
    expectNothingFails(
      1,
      () => proxy.hold(true),
      () => proxy.hold(false),
    ));

  test('behind a lock, no read fails that was sent before or during it', () =>
    expectNothingFails(
      50,
      () =>
        served.catalog.client.query(
          'BEGIN; LOCK TABLE catalog.product_documents, catalog.styles_documents IN ACCESS EXCLUSIVE MODE',
        ),
      () => served.catalog.client.query('COMMIT'),
    ));
});
