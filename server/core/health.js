'use strict';

/** @typedef {{ live: boolean, empty: boolean, outdated: boolean }} State as far as the servers know */

/**
 * The readiness of this worker for requests, and the state of each part. Redis does not count: without it replies are slower.
 * @param {object} parts
 * @param {{ state: string } | null} parts.redis null: none is configured
 * @param {{ ready: boolean }} parts.database
 * @param {Record<string, string>} parts.servers of the database, and what each is
 * @param {State & { current: string | null, position: { cursor: string | null } }} parts.version of the data
 * @param {{ draining: boolean }} parts.state
 * @param {{ late: boolean }} parts.guard
 * @param {{ written: { isFull: boolean } }} parts.searches
 */
function healthOf({ redis, database, servers, version, state, guard, searches }) {
  const databaseState = stateOf(database, version);
  return {
    ready: databaseState === 'up' && !state.draining && !guard.late,
    parts: {
      database: databaseState,
      servers,
      cache: redis ? redis.state : 'off',
      version: version.current,
      position: version.position.cursor,
      draining: state.draining,
      late: guard.late,
      searches: searches.written.isFull ? 'full: load the catalog again' : 'up',
    },
  };
}

/** @param {{ ready: boolean }} database @param {State} version */
function stateOf(database, version) {
  if (!database.ready) return 'down';
  if (version.live) return 'up';
  if (version.outdated) return 'outdated: run prepare';
  return version.empty ? 'empty' : 'down'; // empty: the database needs a load
}

exports.healthOf = healthOf;
