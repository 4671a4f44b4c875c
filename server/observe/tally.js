'use strict';

const { Counter } = require('@prometheus-io/client');

/** @typedef {import('@prometheus-io/client').Registry} Registry */

/**
 * A counter that is read from plain numbers at a scrape: the client library hashes labels at every step, which costs
 * more than the rest of the accounting of a hot reply.
 * @param {Registry} registry @param {string} name @param {string} help @param {string[]} labelNames
 * @param {() => Iterable<[values: (string | number)[], count: number]>} read
 */
function counter(registry, name, help, labelNames, read) {
  new Counter({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [values, count] of read()) this.inc(labels(labelNames, values), count);
    },
  });
}

/**
 * A counter of rare events, by one label or none.
 * @param {Registry} registry @param {string} name @param {string} help @param {string[]} [labelNames]
 * @returns {(value?: string, amount?: number) => void} adds to one
 */
function tally(registry, name, help, labelNames = []) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  counter(registry, name, help, labelNames, () => [...counts].map(([value, count]) => [[value], count]));
  return (value = '', amount = 1) => void counts.set(value, (counts.get(value) ?? 0) + amount);
}

/** @param {string[]} names @param {(string | number)[]} values */
const labels = (names, values) => Object.fromEntries(names.map((name, index) => [name, values[index]]));

/**
 * A histogram of one label whose buckets are plain integers.
 * @param {Registry} registry
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.help
 * @param {string} options.label
 * @param {number[]} options.bounds upper bounds, ascending
 * @param {() => void} [options.prepare] called before each scrape
 * @returns {(value: string, observed: number, times?: number) => void}
 */
function histogram(registry, { name, help, label, bounds, prepare = () => {} }) {
  /** @type {Map<string, { counts: number[], sum: number }>} counts not cumulative, the last above every bound */
  const series = new Map();
  // The registry calls nothing else of a metric; the client library's own Histogram accepts no ready-made counts.
  const metric = {
    name,
    async get() {
      prepare();
      return { name, help, type: 'histogram', values: values() };
    },
  };
  registry.registerMetric(/** @type {any} */ (metric));

  const values = () =>
    [...series].flatMap(([value, { counts, sum }]) => {
      let total = 0;
      const buckets = counts.map((count, index) => ({
        metricName: `${name}_bucket`,
        labels: { le: bounds[index] ?? '+Inf', [label]: value },
        value: (total += count),
      }));
      const own = { [label]: value };
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels: own, value: sum },
        { metricName: `${name}_count`, labels: own, value: total },
      ];
    });

  return (value, observed, times = 1) => {
    let one = series.get(value);
    if (!one) series.set(value, (one = { counts: new Array(bounds.length + 1).fill(0), sum: 0 }));
    let index = 0;
    while (observed > bounds[index]) index += 1;
    one.counts[index] += times;
    one.sum += observed * times;
  };
}

exports.counter = counter;
exports.tally = tally;
exports.histogram = histogram;
