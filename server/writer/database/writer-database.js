'use strict';

const { unavailable } = require('../../core/errors');
const { Client } = require('../../internals/pg/client');
const { serversOf } = require('../../core/dsn');
const { Connection } = require('../../store/connection');
const { connectionOptions } = require('../../store/connection-options');
const { Dialer } = require('../../store/dialer');
const { diagnose } = require('../../store/failures');
const { Primary } = require('../../store/primary');
const { ServedLoad } = require('./served');
const { isLacking, missingIn, outdated } = require('./migrations');
const statements = require('./statements');
const { READ_ONLY, queryOn, requireStandby, toProblem } = require('./transaction');

/** Workers are woken at most so often; their own polls find the rest. */
const RING_MS = 50;
const FORGET_MS = 60_000;
/** A restore may change the database below open connections. */
const LOOK_MS = 1000;
/** A transaction whose writer has stopped holds locks that others wait for. */
const IDLE_TRANSACTION_MS = 5000;
/** Plans are made once and kept. One that is made while a table is empty would read all of it when it has grown. */
const BY_KEY = 'SET enable_seqscan = off';
/** An acknowledgement is given after the flush, whatever the default of the database is. */
const FLUSHED =
  "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')";

/** Caches may have replies of commits that this server has lost. It is no write of a client, so it waits for no standby. */
const NOTE_SERVER = `SELECT set_config('synchronous_commit', 'local', true), catalog_log.note_server()
  WHERE catalog_log.is_elsewhere() AND NOT pg_is_in_recovery()`;

/** The session that sends to hooks holds a lock, and uses its connection at least once a second: one that is silent has no writer any more. */
const LEADER_ENDS = "SET idle_session_timeout = '10s'";

/** Lanes whose commits are acknowledged to clients. */
const ACKNOWLEDGED = ['write', 'stock-append'];

/** In the order in which they are opened. */
const LANES = /** @type {const} */ (['write', 'write-read', 'stock-append', 'stock-apply', 'stock-build', 'hooks']);
/** @typedef {typeof LANES[number]} Lane transactions of content, all else, each step of stock, and hooks */

/** The connections of the writer, one a lane, all to the server that takes writes. Nothing waits behind a transaction but the next one of its lane. */
class WriterDatabase {
  #dialer;
  #events;
  #connections;
  #needsStandby;
  load = new ServedLoad();
  /** Migrations that the database lacks. @type {string[]} */
  #missing = [];
  /** @type {NodeJS.Timeout | undefined} */
  #looking;
  /** @type {NodeJS.Timeout | undefined} */
  #bell;
  #rungMs = 0;
  /** @type {NodeJS.Timeout | undefined} */
  #forgetting;

  /** @param {import('../../config/config').WriterConfig} config @param {import('../../core/events').Events} events */
  constructor(config, events) {
    this.#events = events;
    this.#dialer = new Dialer(events);
    this.#needsStandby = config.WRITE_DURABILITY === 'replicated';
    const optionsOf = (/** @type {string} */ url, /** @type {Lane} */ lane) => ({
      ...connectionOptions({ ...config, DATABASE_URL: url }, lane),
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    });
    const probe = (/** @type {string} */ url) => new Client(optionsOf(url, 'write'));
    // All lanes must see the same writes.
    const primary = new Primary(serversOf(config.DATABASE_URL), probe, () => LANES.forEach((lane) => this.#drop(lane)));
    const connection = (/** @type {Lane} */ lane, /** @type {number} */ rank) => {
      const makeClient = async () => new Client({ ...optionsOf(await primary.find(), lane), pipeline: true });
      const greet = async (/** @type {import('pg').Client} */ client) =>
        void (await Promise.all([
          client.query(FLUSHED),
          client.query(BY_KEY),
          this.#look(client),
          lane === 'write' && noteServer(client),
          lane === 'hooks' && client.query(LEADER_ENDS),
        ]));
      return new Connection({ lane, dialer: this.#dialer, makeClient, events, greet, rank });
    };
    this.#connections = /** @type {Record<Lane, Connection>} */ (
      Object.fromEntries(LANES.map((lane, rank) => [lane, connection(lane, rank)]))
    );
  }

  /** For people, as a worker says it. */
  get state() {
    if (LANES.some((lane) => this.#connections[lane].client === null)) return 'down';
    return this.#missing.length > 0 ? 'outdated: run prepare' : 'up';
  }

  get ready() {
    return this.state === 'up';
  }

  open() {
    for (const lane of LANES) this.#connections[lane].open();
    this.#forgetting = setInterval(() => void this.#forget(), FORGET_MS).unref();
    this.#looking = setInterval(() => {
      const { client } = this.#connections['write-read'];
      if (!client) return; // a lost connection looks when it is back
      void noteServer(client);
      if (this.#missing.length > 0) this.#look(client).catch(() => {});
    }, LOOK_MS).unref();
  }

  async close() {
    clearInterval(this.#forgetting);
    clearInterval(this.#looking);
    clearTimeout(this.#bell);
    await Promise.all(LANES.map((lane) => this.#connections[lane].close()));
    this.#dialer.close();
  }

  /**
   * @param {import('./statements').Statement} statement @param {unknown[]} [values]
   * @returns {Promise<any[]>} rows
   * @throws {import('../../core/errors').Problem} 503 while the database is away or too slow
   */
  async read(statement, values = []) {
    return this.on('write-read', (client) => queryOn(client)(statement, values)).catch((error) => {
      throw toProblem(error);
    });
  }

  /** The load that is served now. */
  readLoad() {
    return this.load.read((statement, values) => this.read(statement, values));
  }

  /** @template T @param {Lane} lane @param {(client: import('pg').Client) => Promise<T>} work @returns {Promise<T>} */
  async on(lane, work) {
    const connection = this.#connections[lane];
    const { client } = connection;
    if (!client) throw unavailable('The database cannot be reached.');
    try {
      // Reads that the older schema answers go on.
      if (this.#missing.length > 0 && lane !== 'write-read') throw outdated(this.#missing);
      if (this.#needsStandby && ACKNOWLEDGED.includes(lane)) await requireStandby(client);
      return await work(client);
    } catch (problem) {
      const { cause: error = problem } = /** @type {{ cause?: any }} */ (problem);
      // pg itself ends a pipelined connection whose query timed out.
      if (error.code === READ_ONLY || diagnose(error, true).drop) connection.drop(client);
      if (isLacking(error)) await this.#look(client).catch(() => {});
      if (isLacking(error) && this.#missing.length > 0) throw outdated(this.#missing, error);
      throw problem;
    }
  }

  /** @param {import('pg').Client} client */
  async #look(client) {
    const missing = await missingIn(client);
    if (missing.length > 0 && this.#missing.length === 0) this.#events.emit('migrationsMissing', missing);
    this.#missing = missing;
  }

  /** @param {Lane} lane */
  #drop(lane) {
    const { client } = this.#connections[lane];
    if (client) this.#connections[lane].drop(client);
  }

  /** Wakes the workers, after a commit. */
  ring() {
    if (this.#bell) return;
    const wait = Math.max(0, this.#rungMs + RING_MS - performance.now());
    this.#bell = setTimeout(() => {
      this.#bell = undefined;
      this.#rungMs = performance.now();
      this.read(statements.notify).catch(() => {}); // the workers poll
    }, wait).unref();
  }

  /** Deletes old replies of idempotency keys, and what is old in the log. */
  async #forget() {
    for (const statement of [statements.forgetRequests, statements.forget])
      for (let count = 1; count > 0;) [{ count }] = await this.read(statement).catch(() => [{ count: 0 }]);
  }
}

/** If it fails, the first commit does it. @param {import('pg').Client} client */
const noteServer = (client) => client.query(NOTE_SERVER).catch(() => {});

exports.LANES = LANES;
exports.WriterDatabase = WriterDatabase;
