'use strict';

/**
 * May this worker get requests, and if not, which part is it? Redis is not among them: without it replies are slower.
 * @param {object} parts
 * @param {{ state: string } | null} parts.redis null: none is configured
 * @param {{ ready: boolean }} parts.database
 * @param {{ live: boolean, current: string | null }} parts.version of the data
 * @param {{ draining: boolean }} parts.state
 * @param {{ late: boolean }} parts.guard
 */
function healthOf({ redis, database, version, state, guard }) {
  const databaseUp = database.ready && version.live;
  return {
    ready: databaseUp && !state.draining && !guard.late,
    parts: {
      database: databaseUp ? 'up' : 'down',
      cache: redis ? redis.state : 'off',
      version: version.current,
      draining: state.draining,
      late: guard.late,
    },
  };
}

exports.healthOf = healthOf;
