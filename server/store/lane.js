'use strict';

const { overloaded, unavailable } = require('../errors');
const { EVENTS } = require('../events');
const { diagnose } = require('./failures');
const { forClient, isPrepared, oneRow, renew } = require('./statement');

/** A failed read is tried again only within this part of the query timeout, so that nobody waits for two. */
const RETRY_WITHIN = 0.25;

/**
 * Some connections for queries of one kind, pipelined: a query is sent without waiting for the one
 * before it. Queries on a connection are answered in order, so long ones have a lane of their own.
 */
class Lane {
  #name;
  #links;
  #maxWork;
  #retryWithinMs;
  #events;
  #comment;

  /**
   * @param {object} options
   * @param {string} options.name in metrics
   * @param {import('./link').Link[]} options.links
   * @param {number} options.maxWork waiting on one connection, in the unit of `row`; one query of any size always may
   * @param {number} options.queryTimeoutMs
   * @param {import('../events').Events} options.events
   * @param {() => string} options.comment SQL comment of the request that is being answered; empty for most
   */
  constructor({ name, links, maxWork, queryTimeoutMs, events, comment }) {
    this.#name = name;
    this.#events = events;
    this.#comment = comment;
    this.#links = links;
    this.#maxWork = maxWork;
    this.#retryWithinMs = queryTimeoutMs * RETRY_WITHIN;
  }

  /** Starts to connect and does not wait: a worker must come up without its database. */
  open() {
    for (const link of this.#links) link.open();
  }

  /** Ends its connections: what waits on them fails, and more is refused until they are opened again. */
  drop() {
    for (const link of this.#links) if (link.client) link.drop(link.client);
  }

  async close() {
    await Promise.all(this.#links.map((link) => link.close()));
  }

  get ready() {
    return this.#links.filter((link) => link.client).length;
  }

  get inFlight() {
    return this.#links.reduce((sum, link) => sum + link.inFlight, 0);
  }

  /**
   * @param {import('./statement').Statement} statement
   * @param {(number | string)[]} values
   * @param {number} [work] how much it is for a connection: a query that is one of many alike is 1
   * @returns {Promise<import('./statement').Row | null>}
   * @throws {import('../errors').Problem} 503 when the database is away, too slow or has too much to do
   */
  async row(statement, values, work = 1) {
    const startedMs = performance.now();
    for (let attempts = 1; ; attempts += 1) {
      const link = this.#leastBusy(work);
      const client = /** @type {import('pg').Client} */ (link.client);
      const sent = forClient(client, statement);
      const ahead = link.inFlight;
      link.inFlight += 1;
      link.work += work;
      try {
        return await oneRow(client, sent, values, this.#comment());
      } catch (cause) {
        const { drop, stale, retry, error } = diagnose(/** @type {Error} */ (cause), isPrepared(client, sent));
        if (drop) link.drop(client);
        if (stale) renew(client, statement, sent);
        const inTime = performance.now() - startedMs < this.#retryWithinMs;
        if (!retry || !inTime || attempts > this.#links.length) throw error;
      } finally {
        link.inFlight -= 1;
        link.work -= work;
        const ms = performance.now() - startedMs;
        this.#events.emit(EVENTS.queried, statement.name, this.#name, ms, ahead);
      }
    }
  }

  /** @param {number} work */
  #leastBusy(work) {
    let best = null;
    for (const link of this.#links) if (link.client && (!best || link.work < best.work)) best = link;
    if (!best) throw unavailable('The database is away.');
    if (best.work > 0 && best.work + work > this.#maxWork) throw overloaded('Too many queries are waiting.');
    return best;
  }
}

exports.Lane = Lane;
