'use strict';

const { findBreakpoint } = require('../../../scripts/lib/search');

describe('the search for the breaking point', () => {
  /** @param {(rate: number, sustained: boolean) => boolean} holds @param {object} [more] */
  async function search(holds, more) {
    /** @type {number[]} */
    const asked = [];
    const probe = async (/** @type {number} */ rate, /** @type {boolean} */ sustained) => {
      asked.push(rate);
      return { rate, ok: holds(rate, sustained), figures: `${rate}` };
    };
    const result = await findBreakpoint({ probe, from: 500, limit: 64_000, ...more });
    return { ...result, asked };
  }

  test.each([100, 499, 500, 1825])('finds a limit of %d from below within five percent', async (limit) => {
    const { held } = await search((rate) => rate <= limit);
    expect(held?.rate).toBeLessThanOrEqual(limit);
    expect(held?.rate).toBeGreaterThanOrEqual(limit * 0.94);
  });

  test('finds it in few probes', async () => {
    const { held, broke, asked } = await search((rate) => rate <= 3170);
    expect(held?.rate).toBeLessThanOrEqual(3170);
    expect(held?.rate).toBeGreaterThan(3170 * 0.95);
    expect(broke?.rate).toBeGreaterThan(3170);
    expect(asked.slice(0, 4)).toEqual([500, 1000, 2000, 4000]);
    expect(asked.length).toBeLessThan(12);
  });

  test('goes below a rate that breaks only during a long run', async () => {
    const { held, broke } = await search((rate, sustained) => rate <= (sustained ? 2500 : 3000));
    expect(held?.rate).toBeLessThanOrEqual(2500);
    expect(held?.rate).toBeGreaterThan(2000);
    expect(broke?.rate).toBeGreaterThan(2500);
  });

  test('retreats by at most the given step each time', async () => {
    const { held } = await search((rate, sustained) => rate <= (sustained ? 2500 : 3000), { retreats: [0.02] });
    expect(held?.rate).toBeLessThanOrEqual(2500);
    expect(held?.rate).toBeGreaterThan(2500 * 0.98 - 1);
  });

  test('ends at the upper limit, and for a service that sustains no rate', async () => {
    const all = await search(() => true, { limit: 3000 });
    expect([all.held?.rate, all.broke]).toEqual([3000, undefined]);
    const none = await search(() => false);
    expect([none.held, none.broke?.rate]).toEqual([undefined, 1]);
  });
});
