'use strict';

const { Registry } = require('prom-client');

const { sampleCollections } = require('../../server/admin/collections');

/** @param {Registry} registry @param {string} name @returns {Promise<number>} the sum over its labels */
async function total(registry, name) {
  const { values } = await /** @type {import('prom-client').Metric} */ (registry.getSingleMetric(name)).get();
  return values.reduce((sum, { value }) => sum + value, 0);
}

test('garbage collection is timed in the looks at it, and in no other time', async () => {
  const registry = new Registry();
  sampleCollections(registry, { everyMs: 100, lookMs: 10 });
  const sinceMs = performance.now();
  const litter = () => Array.from({ length: 10_000 }, (_, index) => ({ index }));
  while ((await total(registry, 'catalog_gc_seconds_total')) === 0) {
    litter();
    await new Promise((resolve) => void setImmediate(resolve));
  }
  const [collecting, looked] = [
    await total(registry, 'catalog_gc_seconds_total'),
    await total(registry, 'catalog_gc_looked_at_seconds_total'),
  ];
  expect(collecting).toBeLessThanOrEqual(looked + 0.01);
  expect(looked).toBeLessThan((performance.now() - sinceMs) / 1000 / 2);
});
