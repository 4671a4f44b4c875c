'use strict';

const { cut } = require('../internals/pg/client');
const { within } = require('../core/lifecycle');

/** A connection that ends right after it was opened is not reopened sooner than this. */
const REDIAL_MS = 1000;
/** A goodbye waits for the answers before it, so forever on a silent server. */
const GOODBYE_MS = 500;

/** One database connection that replaces itself: whatever ends it, another is opened. */
class Connection {
  /** @type {import('pg').Client | null} null while there is no usable connection */
  client = null;
  inFlight = 0;
  /** Weight of the queries in flight, in the unit of its lane. */
  work = 0;
  #closed = false;
  #lane;
  #server;
  #dialer;
  #makeClient;
  #events;
  #greet;
  #rank;

  /**
   * @param {object} options
   * @param {string} options.lane what it is for, in logs and metrics
   * @param {string} [options.server] of the lane, in logs
   * @param {import('./dialer').Dialer} options.dialer
   * @param {() => import('pg').Client | Promise<import('pg').Client>} options.makeClient
   * @param {import('../core/events').Events} options.events
   * @param {(client: import('pg').Client) => Promise<void>} [options.greet] before it is used
   * @param {number} [options.rank] among those of its dialer
   */
  constructor({ lane, server, dialer, makeClient, events, greet = async () => {}, rank = 0 }) {
    this.#lane = lane;
    this.#server = server;
    this.#dialer = dialer;
    this.#makeClient = makeClient;
    this.#events = events;
    this.#greet = greet;
    this.#rank = rank;
  }

  /** Connects in the background. */
  async open() {
    const startedMs = performance.now();
    await this.#dialer.dial((accepted) => this.#connect(accepted, () => this.#lost(startedMs)), this.#rank);
    if (this.client) this.#events.emit('databaseConnected', this.#lane, this.#server);
  }

  /**
   * Ends a connection that can no longer be trusted; what is in flight on it fails.
   * @param {import('pg').Client} client the one that failed; another may have replaced it
   */
  drop(client) {
    if (this.client === client) this.client = null;
    cut(client);
  }

  async close() {
    this.#closed = true;
    const { client } = this;
    if (client && !(await within(client.end(), GOODBYE_MS))) this.drop(client);
  }

  /** @param {() => void} accepted @param {() => void} lost called once when a connection that was in use has ended */
  async #connect(accepted, lost) {
    if (this.#closed) return;
    const client = await this.#makeClient();
    let ended = false;
    let inUse = false;
    client.once('end', () => {
      ended = true;
      if (this.client === client) this.client = null;
      if (inUse) lost();
    });
    // 'end' always follows and brings the replacement; without this listener the process would exit.
    client.on('error', () => this.drop(client));
    // pg reports one loss twice: the reason, and the end of the connection.
    client.once('error', (error) => this.#events.emit('databaseLost', this.#lane, error, this.#server));
    try {
      await client.connect();
      accepted();
      await this.#greet(client);
      if (ended) throw new Error('the connection ended while it was being set up');
    } catch (error) {
      this.drop(client);
      throw error;
    }
    inUse = true;
    this.client = client;
  }

  /** @param {number} startedMs */
  async #lost(startedMs) {
    if (this.#closed) return;
    await this.#dialer.pause(startedMs + REDIAL_MS - performance.now());
    await this.open();
  }
}

exports.Connection = Connection;
