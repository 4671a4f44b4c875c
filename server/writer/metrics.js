'use strict';

const { Registry } = require('@prometheus-io/client');

const { showCommonGauges, showOn } = require('../observe/process-gauges');
const { commonEvents, countEach, showProcess } = require('../observe/metrics');
const { DURATION_BOUNDS_SECONDS, countReplies } = require('../observe/replies');
const { histogram } = require('../observe/tally');

const GROUP_BOUNDS = [1, 2, 4, 8, 16, 32, 64];

/**
 * @param {import('../events').Events} events
 * @param {import('../observe/process-gauges').CommonGauges & { waiting: () => number }} gauges
 */
function createWriterMetrics(events, gauges) {
  const registry = new Registry();
  showProcess(registry);
  showCommonGauges(gauges, registry);
  countReplies(events, registry, { atOnce: () => new Map() });
  countEach(events, registry, commonEvents(['overloaded', 'unavailable', 'writes-paused'], ['write', 'write-read']));
  showOn(registry)('catalog_writes_waiting', 'Writes that wait for a transaction', (gauge) =>
    gauge.set(gauges.waiting()),
  );
  const [size, seconds] = [
    { name: 'catalog_write_group_size', help: 'Writes of a transaction', bounds: GROUP_BOUNDS },
    { name: 'catalog_write_group_seconds', help: 'Time of a transaction', bounds: DURATION_BOUNDS_SECONDS },
  ].map((options) => histogram(registry, { ...options, label: 'kind' }));
  events.on('groupWritten', (writes, ms) => {
    size('content', writes);
    seconds('content', ms / 1000);
  });
  return registry;
}

exports.createWriterMetrics = createWriterMetrics;
