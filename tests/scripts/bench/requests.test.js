'use strict';

const { randomPage } = require('../../lab/bench/lists');
const { mixPaths, zipf } = require('../../lab/bench/mix');
const { pathsByRate } = require('../../lab/bench/search');
const { halfOf } = require('../../lab/bench/steady');
const { createRandom } = require('../../../scripts/generate/random');

describe('requests of bench', () => {
  test('Zipf draws each rank as often as its share and none outside', () => {
    const rank = zipf(1000, createRandom(1));
    const drawn = Array.from({ length: 100_000 }, rank);
    const drawnUpTo = (/** @type {number} */ most) => drawn.filter((one) => one <= most).length / drawn.length;
    const weight = (/** @type {number} */ most) =>
      Array.from({ length: most }, (_, index) => (index + 1) ** -0.99).reduce((a, b) => a + b);
    for (const most of [1, 10, 100]) {
      expect(Math.abs(drawnUpTo(most) - weight(most) / weight(1000))).toBeLessThan(0.05);
    }
    expect(Math.min(...drawn)).toBe(1);
    expect(Math.max(...drawn)).toBeLessThanOrEqual(1000);
  });

  test('mix has four products, one list, one styles, one related, and more than a tenth from the newest tenth', () => {
    const ids = Array.from({ length: 1000 }, (_, index) => index * 3 + 1);
    const paths = mixPaths(ids, { count: 70_000 });
    const share = (/** @type {RegExp} */ pattern) => paths.filter((one) => pattern.test(one)).length / 10_000;
    expect(share(/^\/products\/\d+$/)).toBeCloseTo(4, 0);
    expect(share(/^\/products\?page=\d+&count=5$/)).toBeCloseTo(1, 0);
    expect(share(/styles$/)).toBeCloseTo(1, 0);
    expect(share(/related$/)).toBeCloseTo(1, 0);
    const asked = paths.flatMap((one) => /\/(\d+)/.exec(one)?.[1] ?? []).map(Number);
    expect(asked.filter((id) => !ids.includes(id))).toEqual([]);
    expect(asked.filter((id) => id > ids[899]).length / asked.length).toBeGreaterThan(0.1);
    const draw = (/** @type {number} */ seed) => mixPaths(ids, { count: 1000, seed });
    expect(draw(1)).toEqual(draw(1));
    const timesOf = (/** @type {string[]} */ drawn, /** @type {string} */ one) =>
      drawn.filter((other) => other === one).length;
    const most = (/** @type {string[]} */ drawn) => [...drawn].sort((a, b) => timesOf(drawn, b) - timesOf(drawn, a))[0];
    expect(draw(2)).not.toEqual(draw(1));
    expect(most(draw(2))).toBe(most(draw(1))); // popular products stay popular
  });

  test.each([
    ['list', Array.from({ length: 201 }, (_, index) => `/products?page=${index + 1}&count=5`)],
    ['styles', Array.from({ length: 1001 }, (_, index) => `/products/${2 * index + 1}/styles`)],
  ])('steady measures %s without repeats and without paths of its warm-up', (route, all) => {
    const ids = Array.from({ length: 1001 }, (_, index) => 2 * index + 1);
    const [measured, warm] = [halfOf(route, ids, 0), halfOf(route, ids, 1)];
    expect([...measured, ...warm].sort()).toEqual([...all].sort());
    expect(Math.abs(measured.length - warm.length)).toBeLessThanOrEqual(1);
    expect(measured).not.toEqual(all.filter((one) => measured.includes(one)));
  });

  test('lists requests pages that overlap the wanted rows', () => {
    const below = createRandom(3);
    for (let drawn = 0; drawn < 1000; drawn += 1) {
      const { page, count } = randomPage(below, 900, 1000);
      expect(page * count).toBeGreaterThan(900);
      expect((page - 1) * count).toBeLessThan(1000);
    }
  });

  test('search requests each query once more for every number of values, and pages with products', () => {
    const ids = Array.from({ length: 3000 }, (_, index) => index + 1);
    const searches = ['/search?q=a&facets=category,price,size,on_sale,in_stock,feature', '/search?q=b'];
    const paths = pathsByRate(ids, searches);
    expect(new Set(paths['searches once']).size).toBe(100);
    expect(paths['hot searches'][0]).toBe('/search?q=a&facets=category&count=5');
    expect(paths['deep pages'][0]).toMatch(/&page=30$/);
    const [batch] = paths.batches;
    expect(new Set(batch.match(/\d+/g)).size).toBe(500);
  });
});
