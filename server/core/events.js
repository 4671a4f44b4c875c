'use strict';

const { EventEmitter } = require('node:events');

/**
 * Every event of the service, with its arguments. The parts only emit; observe/ only subscribes, so a part can be read and tested
 * without it. What one part needs of another is connected in service.js.
 * @typedef {object} EventMap
 * @property {[route: string, status: number, waitedMs: number]} replied a reply that waited, or a problem, was written
 * @property {[route: string]} repliedAtOnce a reply that waited for nothing was written; `AtOnce` counts them (http/reply.js)
 * @property {[route: string, waitedMs: number]} readFailed a read ended in a 5xx; the problem's own `replied` comes too
 * @property {[outcome: 'complete' | 'cut', products: number, ms: number]} exported an export ended; cut: its reader left, or a read failed
 * @property {[error: any, requestId: string, path: string | undefined]} handlerFailed an unexpected error: the reply is a 500
 * @property {[reason: string, problem: import('./errors').Problem]} shed a request was answered 503: 'overloaded' or 'unavailable'
 * @property {[tier: 'absent' | 'l2' | 'database', bytes: number]} served a tier answered a read; L1 counts its own (cache/l1.js)
 * @property {[]} collapsed a read waited for a fill that was already running
 * @property {[key: string]} corrupted Redis held a value that is not what this service wrote under that key
 * @property {[command: string, ms: number]} redisAnswered
 * @property {[error: Error]} redisFailed a Redis command failed or was too slow, or its connection failed
 * @property {[state: 'closed' | 'open' | 'half-open']} breakerChanged of Redis
 * @property {[statement: string, lane: string, ms: number, ahead: number, server: string]} queried a query ended; `ahead` queries were waiting before it
 * @property {[writes: number, ms: number]} groupWritten a transaction of the writer ended, with so many writes
 * @property {[operations: number, ms: number]} stockLogged a transaction logged operations on quantities
 * @property {[operations: number, rejected: number, ms: number]} stockApplied a transaction applied them
 * @property {[step: 'apply' | 'build', error: Error]} stockFailed it is tried again
 * @property {[error: Error]} planFailed products that are due are not hidden or published yet; it is tried again
 * @property {[outcome: 'received' | 'failed', ms: number]} hookAnswered a request to a webhook ended
 * @property {[hook: number, reason: string, answer: string]} hookPaused nothing more is sent to it until an operator resumes it
 * @property {[error: Error]} hooksFailed the database did not answer the sender of webhooks; it is tried again
 * @property {[names: string[]]} migrationsMissing writes are refused until `prepare` has applied them
 * @property {[lane: string, server?: string]} databaseConnected
 * @property {[lane: string, error: Error, server?: string]} databaseLost once for each connection
 * @property {[error: Error & { code?: string }, server?: string]} databaseRefused a connection attempt failed; the next one comes in about a second
 * @property {[server: string]} readsMoved this server answers reads from now on
 * @property {[lane: string, error: Error, server?: string]} versionUnread the data version could not be read; the last one stays in force
 * @property {[text: string]} connectionsShort all workers together may not get the database connections that they need
 * @property {[count: number]} commitsApplied so many more commits are counted in the cache keys
 * @property {[written: { bytes: number, products: number }]} searchFull searches see no further commits until less differs from the load, or the next one
 * @property {[error: Error]} searchStale what was written could not be read for searches; it is tried again
 * @property {[version: string, source: 'database' | 'redis']} versionChanged the data version in every cache key changed
 * @property {[outcome: 'sent' | 'lost', count: number, error?: Error]} spansExported lost: the collector did not take them
 * @property {[signal: string]} draining
 */

/** @typedef {EventEmitter<EventMap>} Events */

/** @returns {Events} */
const createEvents = () => new EventEmitter();

exports.createEvents = createEvents;
