'use strict';

const { EventEmitter } = require('node:events');

/**
 * Every event of the service, with its arguments. The parts only emit; log and metrics (admin/) only subscribe, so
 * a part can be read and tested without either. What one part needs of another is wired in service.js.
 */
const EVENTS = Object.freeze({
  /** (route, status, waitedMs) a reply that waited, or a problem, was written */
  replied: 'replied',
  /** (route) a reply that waited for nothing was written; they are counted in `AtOnce` (http/reply.js) */
  repliedAtOnce: 'repliedAtOnce',
  /** (route, waitedMs) a read ended in a 5xx (a 404 is an answer); the problem's own `replied` comes too */
  readFailed: 'readFailed',
  /** (error, requestId, path) a handler failed in a way nobody planned for: the caller got a 500 */
  handlerFailed: 'handlerFailed',
  /** (reason, problem) a request was answered 503: 'overloaded', to protect the rest, or 'unavailable' */
  shed: 'shed',
  /** (tier, bytes) 'absent' | 'l2' | 'database' answered a read; L1 counts its own (cache/l1.js) */
  served: 'served',
  /** () a read waited for a fill that was already running */
  collapsed: 'collapsed',
  /** (key) Redis held a value that is not what this service wrote under that key */
  poisoned: 'poisoned',
  /** (command, ms) Redis answered */
  redisAnswered: 'redisAnswered',
  /** (error) a Redis command failed or was too slow, or its connection failed */
  redisFailed: 'redisFailed',
  /** (state) the Redis breaker is now 'closed' | 'open' | 'half-open' */
  breakerChanged: 'breakerChanged',
  /** (statement, lane, ms, ahead) a query has ended; ahead: queries that waited before it when it was sent */
  queried: 'queried',
  /** (lane) a database connection is up */
  databaseConnected: 'databaseConnected',
  /** (lane, error) a database connection is gone, told once for each */
  databaseLost: 'databaseLost',
  /** (error) a connection attempt failed; the next one comes in about a second */
  databaseRefused: 'databaseRefused',
  /** (server) database reads are answered by 'replica' | 'primary' from now on */
  readsMoved: 'readsMoved',
  /** (lane, error) the data version was not told; what was served goes on being served */
  versionUnread: 'versionUnread',
  /** (text) all workers together may not get the database connections they need */
  connectionsShort: 'connectionsShort',
  /** (version, source) the data version that reads are keyed by changed */
  versionChanged: 'versionChanged',
  /** (outcome, count, error) spans were 'sent' to the collector, or 'lost' because it did not take them */
  spansExported: 'spansExported',
  /** (signal) the worker started to drain */
  draining: 'draining',
});

/** @typedef {EventEmitter} Events */

/** @returns {Events} */
function createEvents() {
  return new EventEmitter();
}

exports.EVENTS = EVENTS;
exports.createEvents = createEvents;
