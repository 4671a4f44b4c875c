'use strict';

const { BytesClient } = require('../internals/pg/bytes-client');
const { Connection } = require('./connection');
const { SEARCH_CONNECTIONS } = require('./connection-budget');
const { connectionOptions } = require('./connection-options');
const { Lane } = require('./lane');

/** Which connection comes first when the database gives few. */
const RANKS = { short: 1, bulk: 2, search: 3 };

/**
 * The lanes of a server.
 * @param {object} parts
 * @param {import('../config/config').Config} parts.config
 * @param {import('../core/events').Events} parts.events
 * @param {import('./dialer').Dialer} parts.dialer
 * @param {() => string} parts.comment SQL comment of the request that is being answered
 * @param {string} parts.server its name in logs and metrics
 */
function createLanes({ config, events, dialer, comment, server }) {
  /** @param {keyof typeof RANKS} name @param {number} size @param {number} maxWork */
  const lane = (name, size, maxWork) => {
    const options = connectionOptions(config, name);
    const makeClient = () => new BytesClient({ ...options, pipeline: true, unprepared: config.PG_POOLED });
    const own = { lane: name, server, dialer, makeClient, events };
    // One connection of each lane before the second of one.
    const connections = Array.from(
      { length: size },
      (_, index) => new Connection({ ...own, rank: 3 * index + RANKS[name] }),
    );
    return new Lane({
      name,
      server,
      events,
      comment,
      connections,
      maxWork,
      queryTimeoutMs: options.query_timeout,
    });
  };
  return {
    short: lane('short', config.PG_SHORT_CONNECTIONS, config.PG_SHORT_IN_FLIGHT),
    long: lane('bulk', config.PG_BULK_CONNECTIONS, config.PG_BULK_ROWS_IN_FLIGHT),
    search: lane('search', SEARCH_CONNECTIONS, config.PG_SEARCH_IN_FLIGHT),
  };
}

exports.createLanes = createLanes;
