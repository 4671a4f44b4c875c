'use strict';

const { Registry } = require('@prometheus-io/client');

const { showCommonGauges, showOn } = require('../observe/process-gauges');
const { commonEvents, countEach, showProcess } = require('../observe/metrics');
const { DURATION_BOUNDS_SECONDS, countReplies } = require('../observe/replies');
const { histogram, tally } = require('../observe/tally');
const { LANES } = require('./database/writer-database');

/** @typedef {import('./hooks/batch').Hook} Hook */

/** A receiver has 10 s. */
const HOOK_BOUNDS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const GROUP_BOUNDS = [1, 2, 4, 8, 16, 32, 64];

/** @typedef {{ waiting: () => number, readers: () => number, stock: import('./stock/stock').Stock, hooks: import('./hooks/hooks').Hooks }} Gauges of the writer alone */

/**
 * @param {import('../core/events').Events} events
 * @param {import('../observe/process-gauges').CommonGauges & Gauges} gauges
 */
function createWriterMetrics(events, gauges) {
  const registry = new Registry();
  showProcess(registry);
  showCommonGauges(gauges, registry);
  countReplies(events, registry, { atOnce: () => new Map() });
  countEach(events, registry, commonEvents(['overloaded', 'unavailable', 'writes-paused'], [...LANES]));
  showOn(registry)('catalog_writes_waiting', 'Writes that wait for a transaction', (gauge) =>
    gauge.set(gauges.waiting()),
  );
  showOn(registry)('catalog_feed_readers', 'Streams and held requests of the feed', (gauge) =>
    gauge.set(gauges.readers()),
  );
  const [size, seconds] = [
    { name: 'catalog_write_group_size', help: 'Writes of a transaction', bounds: GROUP_BOUNDS },
    { name: 'catalog_write_group_seconds', help: 'Time of a transaction', bounds: DURATION_BOUNDS_SECONDS },
  ].map((options) => histogram(registry, { ...options, label: 'kind' }));
  events.on('groupWritten', (writes, ms) => {
    size('content', writes);
    seconds('content', ms / 1000);
  });
  countStock(events, registry, gauges.stock);
  countHooks(events, registry, gauges.hooks);
  events.on('stockLogged', (_, ms) => seconds('stock-log', ms / 1000));
  events.on('stockApplied', (_operations, _rejected, ms) => seconds('stock-apply', ms / 1000));
  return registry;
}

/** @param {import('../core/events').Events} events @param {Registry} registry @param {import('./stock/stock').Stock} stock */
function countStock(events, registry, stock) {
  const [logged, applied, rejected] = [
    ['logged', 'Operations on quantities that are on the disk'],
    ['applied', 'Logged operations that were applied or rejected'],
    ['rejected', 'Operations that changed nothing: unknown skus, other quantities than expected'],
  ].map(([name, help]) => tally(registry, `catalog_stock_${name}_total`, help));
  for (const add of [logged, applied, rejected]) add('', 0);
  events.on('stockLogged', (operations) => logged('', operations));
  events.on('stockApplied', (operations, refused) => {
    applied('', operations);
    rejected('', refused);
  });
  const show = showOn(registry);
  const { offsets } = stock;
  show('catalog_stock_unapplied', 'Logged operations that are not applied', (gauge) => gauge.set(offsets.unapplied));
  show('catalog_stock_unapplied_seconds', 'For how long the oldest of them waits', (gauge) =>
    gauge.set(offsets.unappliedMs / 1000),
  );
  show('catalog_stock_stale_products', 'Styles replies that are made at each read, until they are built', (gauge) =>
    gauge.set(stock.stale),
  );
}

/** @param {import('../core/events').Events} events @param {Registry} registry @param {import('./hooks/hooks').Hooks} hooks */
function countHooks(events, registry, hooks) {
  const seconds = histogram(registry, {
    name: 'catalog_hook_seconds',
    help: 'Time of a request to a webhook',
    bounds: HOOK_BOUNDS_SECONDS,
    label: 'outcome',
  });
  events.on('hookAnswered', (outcome, ms) => seconds(outcome, ms / 1000));
  const show = showOn(registry);
  show('catalog_hooks_leader', '1 for the writer that sends to webhooks', (gauge) => gauge.set(Number(hooks.leads)));
  const each = (/** @type {string} */ name, /** @type {string} */ help, /** @type {(hook: Hook) => number} */ read) =>
    show(
      name,
      help,
      (gauge) => {
        gauge.reset(); // those that were removed
        for (const hook of hooks.list) gauge.set({ hook: hook.id }, read(hook));
      },
      ['hook'],
    );
  each('catalog_hook_behind_seconds', 'Age of the first commit that was not sent whole', ({ behind_s: s }) => s);
  each('catalog_hook_failures', 'Requests in a row that were not received', ({ failures }) => failures);
  each('catalog_hook_paused', '1 if the service paused it, so an operator must look', ({ paused }) =>
    Number(paused !== null && paused !== 'operator'),
  );
}

exports.createWriterMetrics = createWriterMetrics;
