'use strict';

const { PerformanceObserver } = require('node:perf_hooks');

const { Registry } = require('@prometheus-io/client');

const { sampleGc } = require('../../../server/observe/metrics');

/** @param {Registry} registry @param {string} name @returns {Promise<number>} the sum over its labels */
async function total(registry, name) {
  const { values } = await /** @type {import('@prometheus-io/client').Metric} */ (registry.getSingleMetric(name)).get();
  return values.reduce((sum, { value }) => sum + value, 0);
}

/** @param {() => Promise<boolean> | boolean} told whether the collections were reported */
async function litterUntil(told) {
  while (!(await told())) {
    Array.from({ length: 10_000 }, (_, index) => ({ index }));
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

test('garbage collection is timed only while it is observed', async () => {
  jest.useFakeTimers({ doNotFake: ['performance', 'setImmediate'] });
  const registry = new Registry();
  sampleGc(registry, { everyMs: 100, observeMs: 10 });
  const figures = () =>
    Promise.all(['', 'observed_'].map((part) => total(registry, `catalog_gc_${part}seconds_total`)));
  jest.advanceTimersByTime(100);
  await litterUntil(async () => (await figures())[0] > 0);
  jest.advanceTimersByTime(10);
  const seen = await figures();
  expect(seen[1]).toBeGreaterThan(0);

  let unseen = 0;
  const witness = new PerformanceObserver((list) => void (unseen += list.getEntries().length));
  witness.observe({ entryTypes: ['gc'] });
  await litterUntil(() => unseen > 2);
  witness.disconnect();
  expect(await figures()).toEqual(seen);
  jest.useRealTimers();
});
