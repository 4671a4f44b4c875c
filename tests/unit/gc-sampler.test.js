'use strict';

const { Registry } = require('prom-client');

const { sampleGc } = require('../../server/admin/gc-sampler');

/** @param {Registry} registry @param {string} name @returns {Promise<number>} the sum over its labels */
async function total(registry, name) {
  const { values } = await /** @type {import('prom-client').Metric} */ (registry.getSingleMetric(name)).get();
  return values.reduce((sum, { value }) => sum + value, 0);
}

test('garbage collection is timed while it is observed, and in no other time', async () => {
  const registry = new Registry();
  sampleGc(registry, { everyMs: 100, observeMs: 10 });
  const sinceMs = performance.now();
  const litter = () => Array.from({ length: 10_000 }, (_, index) => ({ index }));
  while ((await total(registry, 'catalog_gc_seconds_total')) === 0) {
    litter();
    await new Promise((resolve) => void setImmediate(resolve));
  }
  const [collecting, observed] = [
    await total(registry, 'catalog_gc_seconds_total'),
    await total(registry, 'catalog_gc_observed_seconds_total'),
  ];
  expect(collecting).toBeLessThanOrEqual(observed + 0.01);
  expect(observed).toBeLessThan((performance.now() - sinceMs) / 1000 / 2);
});
