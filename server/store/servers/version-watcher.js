'use strict';

const { EVENTS } = require('../../events');
const { Client } = require('../../internals/pg/client');
const { Connection } = require('../connection');
const { connectionOptions } = require('../connection-options');
const { DataVersion } = require('./data-version');
const { isNotLoaded, isSilence } = require('../failures');
const queries = require('../queries');

/** read_only_sql_transaction: also what LISTEN gets from a server in recovery. */
const READ_ONLY = '25006';

/**
 * Knows the data version that all cache keys carry. A NOTIFY tells of a change at once; the poll finds
 * the change whose NOTIFY got lost with a connection. Holds a connection of its own, since LISTEN
 * belongs to one; behind a pooler in transaction mode, which would not keep it, the poll does all. So it does on a
 * replica that got the primary's address and is not promoted yet: it cannot LISTEN, but it can be read.
 */
class VersionWatcher extends DataVersion {
  /** Whether `current` comes from PostgreSQL itself and its connection is up. */
  get live() {
    return this.#connection.client !== null && this.#seen;
  }
  /** Whether PostgreSQL answers and has no catalog yet. */
  get empty() {
    return this.#connection.client !== null && this.#empty;
  }
  #seen = false;
  #empty = false;
  #connection;
  #events;
  #pollMs;
  #silent;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {object} options
   * @param {import('../../config/config').Config} options.config
   * @param {import('../../events').Events} options.events
   * @param {import('../dialer').Dialer} options.dialer
   * @param {() => void} options.silent called when the server does not answer
   */
  constructor({ config, events, dialer, silent }) {
    super(events);
    this.#silent = silent;
    this.#events = events;
    this.#pollMs = config.VERSION_POLL_MS;
    this.#connection = new Connection({
      lane: 'version',
      dialer,
      // pipelined, so that a NOTIFY may be looked up while a poll is under way
      makeClient: () => new Client({ ...connectionOptions(config, 'version'), pipeline: true }),
      events,
      greet: (client) => (config.PG_POOLED ? this.#read(client) : this.#listen(client)),
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

  /** @param {import('pg').Client} client */
  async #listen(client) {
    client.on('notification', () => this.#read(client));
    await client.query(queries.listen.text).catch((error) => {
      if (error.code !== READ_ONLY) throw error;
    });
    await this.#read(client);
  }

  #poll() {
    if (this.#connection.client) this.#read(this.#connection.client);
  }

  /**
   * Asks instead of trusting a payload: after a restore the version may also go back. A failed read
   * leaves the last version in force, so what is cached goes on being served. Only the text is sent: a name would make
   * a prepared statement of it, which a pooler's next server connection does not know.
   * @param {import('pg').Client} client
   */
  async #read(client) {
    try {
      const { rows } = await client.query(queries.dataVersion.text);
      this.#seen = rows.length === 1;
      this.#empty = !this.#seen;
      if (rows.length === 1) this.take(rows[0].token, 'database');
    } catch (error) {
      this.#seen = false;
      this.#empty = isNotLoaded(error);
      if (isSilence(error)) this.#silent();
      this.#events.emit(EVENTS.versionUnread, 'version', error);
    }
  }
}

exports.VersionWatcher = VersionWatcher;
