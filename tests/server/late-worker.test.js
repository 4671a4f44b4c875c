'use strict';

const { serveCatalog, until } = require('../helpers/app');
const { idOf, manyProducts } = require('../helpers/database');

const [hot, cold] = [1, 2].map((index) => `/products/${idOf(index)}`);

describe('a worker whose event loop stays late', () => {
  const served = serveCatalog(manyProducts(5), { EVENT_LOOP_LAG_LIMIT_MS: 100 });
  const get = (/** @type {string} */ path) => fetch(served.app.url + path);

  /** Makes each turn of the event loop, which worker and test share, longer than the limit. @returns {() => void} ends that */
  function keepBusy() {
    let busy = true;
    (function turn() {
      for (const endMs = performance.now() + 200; performance.now() < endMs;);
      if (busy) setImmediate(turn);
    })();
    return () => void (busy = false);
  }

  test('answers from L1 and refuses the rest until it has caught up', async () => {
    for (let round = 0; round < 3; round += 1) expect((await get(hot)).status).toBe(200);
    const stop = keepBusy();
    try {
      await until(() => served.app.service.health().parts.late === true);
      const [kept, refused, ready] = await Promise.all([get(hot), get(cold), fetch(`${served.app.adminUrl}/readyz`)]);
      expect([kept.status, refused.status, refused.headers.get('retry-after')]).toEqual([200, 503, '1']);
      expect(await refused.json()).toMatchObject({ type: 'urn:catalog:problem:overloaded' });
      expect([ready.status, await ready.json()]).toEqual([
        503,
        expect.objectContaining({ late: true, database: 'up' }),
      ]);
    } finally {
      stop();
    }
    await until(() => served.app.service.health().ready);
    expect((await get(cold)).status).toBe(200);
  });
});
