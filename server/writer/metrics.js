'use strict';

const { Registry } = require('@prometheus-io/client');

const { showCommonGauges, showOn } = require('../observe/process-gauges');
const { commonEvents, countEach, showProcess } = require('../observe/metrics');
const { DURATION_BOUNDS_SECONDS, countReplies } = require('../observe/replies');
const { histogram, tally } = require('../observe/tally');
const { LANES } = require('./database/writer-database');

const GROUP_BOUNDS = [1, 2, 4, 8, 16, 32, 64];

/** @typedef {{ waiting: () => number, readers: () => number, stock: import('./stock/stock').Stock }} Gauges of the writer alone */

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

exports.createWriterMetrics = createWriterMetrics;
