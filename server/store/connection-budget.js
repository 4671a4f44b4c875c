'use strict';

const queries = require('./queries');

/** The rest is for the loader, an operator, and a rolling deploy, which has one worker twice for a moment. */
const SHARE = 0.8;

/** Queries of one search depend on each other, so a second connection would help little. */
const SEARCH_CONNECTIONS = 1;

/**
 * Connections that one worker holds on each database server: all lanes and the watcher of the version.
 * @param {import('../config/config').Config} config
 */
const connectionsPerWorker = (config) =>
  config.PG_SHORT_CONNECTIONS + config.PG_BULK_CONNECTIONS + SEARCH_CONNECTIONS + 1;

/**
 * @param {{ used: number, perWorker: number, limit: number }} connections `limit`: what ordinary roles may take
 * @returns {string | null} what does not fit and what to change; null when all fits
 */
function overBudget({ used, perWorker, limit }) {
  const allowed = Math.floor(limit * SHARE);
  if (used <= allowed) return null;
  return (
    `All workers have ${used} connections, ${perWorker} each, more than ${SHARE * 100} % (${allowed}) of what ` +
    'the database gives: raise max_connections, lower PG_SHORT_CONNECTIONS, or use PgBouncer (PG_POOLED)'
  );
}

/**
 * Queries a server and warns. It does not refuse: the workers that do get connections can serve, and a start
 * that fails on the whole fleet would be the outage that the check must prevent. Each worker counts the
 * connections open so far, so the last one to start counts all.
 * @param {import('../config/config').Config} config
 * @param {Pick<import('./database').Database, 'lanes'>} database
 * @param {import('../core/events').Events} events
 */
async function checkConnections(config, database, events) {
  if (config.PG_POOLED) return; // the pooler's own limits count
  const row = await database.lanes.short.row(queries.connectionLimit, []).catch(() => null);
  if (!row) return; // away: checked again at the next start
  const [limit, used] = row.map((field) => Number(String(field)));
  const problem = overBudget({ used, perWorker: connectionsPerWorker(config), limit });
  if (problem) events.emit('connectionsShort', `${database.lanes.short.server}: ${problem}`);
}

exports.SEARCH_CONNECTIONS = SEARCH_CONNECTIONS;
exports.connectionsPerWorker = connectionsPerWorker;
exports.checkConnections = checkConnections;
exports.overBudget = overBudget;
