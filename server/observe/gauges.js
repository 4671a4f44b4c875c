'use strict';

const { diskPathsOf, showCommonGauges, showOn } = require('./process-gauges');

/** @typedef {import('./process-gauges').Show} Show */
/** @typedef {{ server: string, name: string, ready: number, inFlight: number }} LaneState */

/**
 * The figures of a worker, read at a scrape.
 * @param {object} parts
 * @param {import('../config/config').Config} parts.config
 * @param {{ bytes: number, count: number, reads: number, readBytes: number }} parts.l1
 * @param {import('../http/replies/reply').AtOnce} parts.atOnce
 * @param {{ state: string } | null} parts.redis
 * @param {() => LaneState[]} parts.lanes of each database server
 * @param {Pick<import('../store/servers/data-version').DataVersion, 'current' | 'position'>} parts.version of the data
 * @param {{ written: { seq: number, isFull: boolean, bytes: number } }} parts.searches
 * @param {Pick<import('./search-counts').SearchCounts, 'outcomes' | 'droppedWords'>} parts.searchCounts
 * @param {{ lagMs: number }} parts.guard
 * @param {() => { ready: boolean }} parts.health
 * @param {{ version: string, code: string, node_version: string }} parts.build
 */
const gaugesOf = ({ config, l1, atOnce, redis, lanes, version, searches, searchCounts, guard, health, build }) => ({
  l1Bytes: () => l1.bytes,
  l1Entries: () => l1.count,
  l1MaxBytes: config.L1_MAX_BYTES,
  l1Read: () => ({ reads: l1.reads, bytes: l1.readBytes }),
  atOnce: () => atOnce,
  lanes,
  redisConfigured: redis !== null,
  redisUp: () => redis?.state === 'up',
  lagMs: () => guard.lagMs,
  ready: () => health().ready,
  version: () => version.current,
  seq: () => version.position.reached?.seq ?? 0,
  positionAgeMs: () => version.position.ageMs,
  searched: () => searches.written,
  searchCounts,
  diskPaths: diskPathsOf(config),
  build,
});

/** @typedef {ReturnType<typeof gaugesOf>} Gauges */

/**
 * @param {Gauges} gauges
 * @param {import('@prometheus-io/client').Registry} registry
 */
function showGauges(gauges, registry) {
  const show = showOn(registry);
  showCommonGauges(gauges, registry);
  /** @param {import('@prometheus-io/client').Gauge<string>} gauge @param {'ready' | 'inFlight'} figure */
  const setLanes = (gauge, figure) => {
    for (const { server, name, [figure]: value } of gauges.lanes()) gauge.set({ server, lane: name }, value);
  };
  show('catalog_l1_bytes', 'Bytes held by L1', (gauge) => gauge.set(gauges.l1Bytes()));
  show('catalog_l1_max_bytes', 'Bytes L1 may hold', (gauge) => gauge.set(gauges.l1MaxBytes));
  show('catalog_l1_entries', 'Replies held by L1', (gauge) => gauge.set(gauges.l1Entries()));
  show('catalog_redis_up', '1 while Redis is used', (gauge) => gauge.set(Number(gauges.redisUp())));
  show('catalog_redis_configured', '1 when REDIS_URL is set', (gauge) => gauge.set(Number(gauges.redisConfigured)));
  show('catalog_database_connections', 'Usable database connections', (gauge) => setLanes(gauge, 'ready'), [
    'server',
    'lane',
  ]);
  show('catalog_database_in_flight', 'Queries waiting for the database', (gauge) => setLanes(gauge, 'inFlight'), [
    'server',
    'lane',
  ]);
  showVersion(gauges, show);
}

/**
 * The token is "number-microseconds" (store/queries/server_status.sql): both halves are figures to plot.
 * @param {Gauges} gauges @param {Show} show
 */
function showVersion(gauges, show) {
  const part = (/** @type {number} */ index) => Number((gauges.version() ?? '0-0').split('-')[index]);
  show('catalog_data_version', 'Number of the data version served; 0 when none is known', (gauge) =>
    gauge.set(part(0)),
  );
  show('catalog_data_version_timestamp_seconds', 'When the data last changed, by the clock of the database', (gauge) =>
    gauge.set(part(1) / 1e6),
  );
  show('catalog_position_seq', 'Last commit of the log that every cache key counts', (gauge) =>
    gauge.set(gauges.seq()),
  );
  show('catalog_position_age_seconds', 'How long ago the log was known to have no later commit', (gauge) =>
    gauge.set(gauges.positionAgeMs() / 1000),
  );
  show('catalog_search_seq', 'Last commit of the log that searches see; 0 before the first search of a load', (gauge) =>
    gauge.set(gauges.searched().seq),
  );
  show('catalog_search_written_bytes', 'Memory of what was written since the load, for searches', (gauge) =>
    gauge.set(gauges.searched().bytes),
  );
  show(
    'catalog_search_full',
    '1 when that is more than a worker holds: searches stay at a commit until it is less, or the next load',
    (gauge) => gauge.set(Number(gauges.searched().isFull)),
  );
}

exports.gaugesOf = gaugesOf;
exports.showGauges = showGauges;
