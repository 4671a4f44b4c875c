'use strict';

const { EVENTS } = require('../../events');
const { Client } = require('../../internals/pg/client');
const { Connection } = require('../connection');
const { connectionOptions } = require('../connection-options');
const { isNotLoaded, isSilence } = require('../failures');
const queries = require('../queries');

/** A server that is silent for this long is asked last until it answers. Its queries go on: it may only have stalled. */
const SILENT_MS = 500;
/** What a server said last is forgotten at this poll without an answer: a slow answer or a new connection takes less. */
const FORGOTTEN_POLLS = 12;

/**
 * @typedef {object} Status
 * @property {string} token data version that reads of this server see
 * @property {boolean} recovering a replica that follows another server
 * @property {number} timeline 0 on a replica
 * @property {number} lagMs
 */

/**
 * Asks one of several servers again and again what it has: a server's own word is what tells whether its rows may stand
 * under a version. One that takes writes tells of a change at once (LISTEN, which a replica refuses and a pooler forgets).
 */
class ServerWatcher {
  /** @type {Status | null} null while the server is away, silent or empty */
  status = null;
  /** @type {Status | null} what it said last: its rows do not grow older while it is silent for a moment */
  known = null;
  /** Whether it answers and has no catalog yet. */
  empty = false;
  #silentPolls = 0;
  #lane;
  #connection;
  #pollMs;
  #pooled;
  /** @type {import('pg').Client | undefined} the connection that hears of changes: one at which LISTEN was asked for */
  #hearing;
  #changed;
  #silent;
  #events;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {object} options
   * @param {import('../../config/config').Config} options.config with the server's address as DATABASE_URL
   * @param {import('../dialer').Dialer} options.dialer
   * @param {import('../../events').Events} options.events
   * @param {() => void} options.changed
   * @param {() => void} options.silent called when the server does not answer within PG_QUERY_TIMEOUT_MS
   * @param {string} options.prefix of its name in logs and metrics
   */
  constructor({ config, dialer, events, changed, silent, prefix }) {
    this.#pollMs = config.VERSION_POLL_MS;
    this.#pooled = config.PG_POOLED;
    this.#changed = changed;
    this.#silent = silent;
    this.#events = events;
    this.#lane = `${prefix}version`;
    this.#connection = new Connection({
      lane: this.#lane,
      dialer,
      makeClient: () => this.#makeClient(config),
      events,
      greet: (client) => this.#read(client),
    });
  }

  open() {
    this.#connection.open();
    this.#timer = setInterval(() => this.#poll(), this.#pollMs).unref();
  }

  async close() {
    clearInterval(this.#timer);
    await this.#connection.close();
  }

  /** @param {import('../../config/config').Config} config */
  #makeClient(config) {
    // pipelined: a poll may come due while the one before it waits
    const client = new Client({ ...connectionOptions(config, 'version'), pipeline: true });
    client.once('end', () => this.#set(null));
    return client;
  }

  async #poll() {
    this.#forget();
    const { client } = this.#connection;
    if (client) await this.#readOrDrop(client);
  }

  /** @param {import('pg').Client} client */
  async #readOrDrop(client) {
    await this.#read(client).catch(() => this.#connection.drop(client));
  }

  /** @param {import('pg').Client} client */
  async #read(client) {
    const late = setTimeout(() => this.#set(null), SILENT_MS).unref();
    try {
      const { rows } = await client.query(queries.serverStatus.text).finally(() => clearTimeout(late));
      const [{ token, recovering, timeline, lag_ms: lagMs }] = rows;
      this.#set(token && { token, recovering, timeline, lagMs: Number(lagMs) }, token === null);
      if (!recovering && !this.#pooled && this.#hearing !== client) await this.#hear(client);
    } catch (error) {
      this.#set(null, isNotLoaded(error));
      if (isSilence(error)) this.#silent();
      this.#events.emit(EVENTS.versionUnread, this.#lane, error);
      if (!this.empty) throw error;
    }
  }

  /** Also after a promotion, which the connections of a replica outlive. @param {import('pg').Client} client */
  async #hear(client) {
    this.#hearing = client;
    client.on('notification', () => this.#readOrDrop(client));
    await client.query(queries.listen.text);
  }

  #forget() {
    if (this.status !== null || (this.#silentPolls += 1) !== FORGOTTEN_POLLS) return;
    this.known = null;
    this.#changed();
  }

  /** @param {Status | null} status @param {boolean} [empty] */
  #set(status, empty = false) {
    this.status = status;
    this.empty = empty;
    if (status) {
      this.known = status;
      this.#silentPolls = 0;
    }
    this.#changed();
  }
}

exports.ServerWatcher = ServerWatcher;
