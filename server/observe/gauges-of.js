'use strict';

/**
 * Where the figures of a worker are read.
 * @param {object} parts
 * @param {import('../config/config').Config} parts.config
 * @param {{ bytes: number, count: number, reads: number, readBytes: number }} parts.l1
 * @param {import('../http/reply').AtOnce} parts.atOnce
 * @param {{ state: string } | null} parts.redis
 * @param {{ database: { lanes: ReturnType<import('./gauges').Gauges['lanes']> }, version: { current: string | null } }} parts.store
 * @param {{ lagMs: number }} parts.guard
 * @param {() => { ready: boolean }} parts.health
 * @param {import('./gauges').Gauges['build']} parts.build
 * @returns {import('./gauges').Gauges}
 */
const gaugesOf = ({ config, l1, atOnce, redis, store, guard, health, build }) => ({
  l1Bytes: () => l1.bytes,
  l1Entries: () => l1.count,
  l1MaxBytes: config.L1_MAX_BYTES,
  l1Read: () => ({ reads: l1.reads, bytes: l1.readBytes }),
  atOnce: () => atOnce,
  lanes: () => store.database.lanes,
  replicaConfigured: config.REPLICA_DATABASE_URL !== '',
  redisConfigured: redis !== null,
  redisUp: () => redis?.state === 'up',
  lagMs: () => guard.lagMs,
  ready: () => health().ready,
  version: () => store.version.current,
  diskPaths: config.DISK_PATHS ? config.DISK_PATHS.split(':') : [__dirname],
  build,
});

exports.gaugesOf = gaugesOf;
