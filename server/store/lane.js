'use strict';

const { overloaded, unavailable } = require('../core/errors');
const { diagnose } = require('./failures');
const { discardPlans } = require('./queries');
const { forClient, isPrepared, oneRow, renew } = require('../internals/pg/statement');

/** A failed read is tried again only within this part of the query timeout, so that no read waits for two. */
const RETRY_WITHIN = 0.25;

/**
 * Some connections for queries of one kind, pipelined: a query is sent without waiting for the one
 * before it. Queries on a connection are answered in order, so long ones have a lane of their own.
 */
class Lane {
  #connections;
  #maxWork;
  #retryWithinMs;
  #events;
  #comment;

  /**
   * @param {object} options
   * @param {string} options.name in metrics
   * @param {string} [options.server] in metrics
   * @param {import('./connection').Connection[]} options.connections
   * @param {number} options.maxWork waiting on one connection, in the unit of `row`; one query of any size always may
   * @param {number} options.queryTimeoutMs
   * @param {import('../core/events').Events} options.events
   * @param {() => string} options.comment SQL comment of the request that is being answered; empty for most
   */
  constructor({ name, server = '', connections, maxWork, queryTimeoutMs, events, comment }) {
    /** In metrics. */
    this.name = name;
    this.server = server;
    this.#events = events;
    this.#comment = comment;
    this.#connections = connections;
    this.#maxWork = maxWork;
    this.#retryWithinMs = queryTimeoutMs * RETRY_WITHIN;
  }

  /** Starts to connect and does not wait: a worker must come up without its database. */
  open() {
    for (const connection of this.#connections) connection.open();
  }

  /** Ends its connections: queries on them fail, and further ones are refused until the connections are open again. */
  drop() {
    for (const connection of this.#connections) if (connection.client) connection.drop(connection.client);
  }

  async close() {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  get ready() {
    return this.#connections.filter((connection) => connection.client).length;
  }

  get inFlight() {
    return this.#connections.reduce((sum, connection) => sum + connection.inFlight, 0);
  }

  /**
   * @param {import('../internals/pg/statement').Statement} statement
   * @param {(number | string)[]} values
   * @param {number} [work] its weight on a connection: rows of a long page, 1 for any other query
   * @param {(row: import('../internals/pg/statement').Row | null) => boolean} [isMixed] whether a row is of two loads. Then its plan may
   *   be, too, and is discarded. The row is returned: the caller decides whether to read again.
   * @returns {Promise<import('../internals/pg/statement').Row | null>}
   * @throws {import('../core/errors').Problem} 503 when the database is away, too slow or has too much to do
   */
  async row(statement, values, work = 1, isMixed = () => false) {
    const startedMs = performance.now();
    for (let attempts = 1; ; attempts += 1) {
      const connection = this.#leastBusy(work);
      const client = /** @type {import('pg').Client} */ (connection.client);
      const sent = forClient(client, statement);
      const ahead = connection.inFlight;
      connection.inFlight += 1;
      connection.work += work;
      try {
        const row = await oneRow(client, sent, values, this.#comment());
        if (isMixed(row)) await oneRow(client, discardPlans, [], '');
        return row;
      } catch (cause) {
        const { drop, stale, retry, error } = diagnose(/** @type {Error} */ (cause), isPrepared(client, sent));
        if (drop) connection.drop(client);
        if (stale) renew(client, statement, sent);
        const inTime = performance.now() - startedMs < this.#retryWithinMs;
        if (!retry || !inTime || attempts > this.#connections.length) throw error;
      } finally {
        connection.inFlight -= 1;
        connection.work -= work;
        const ms = performance.now() - startedMs;
        this.#events.emit('queried', statement.name, this.name, ms, ahead, this.server);
      }
    }
  }

  /** @param {number} work */
  #leastBusy(work) {
    let best = null;
    for (const connection of this.#connections)
      if (connection.client && (!best || connection.work < best.work)) best = connection;
    if (!best) throw unavailable('The database cannot be reached.');
    if (best.work > 0 && best.work + work > this.#maxWork) throw overloaded('Too many queries are waiting.');
    return best;
  }
}

exports.Lane = Lane;
