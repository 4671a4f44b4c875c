'use strict';

const { Client } = require('../../internals/pg/client');
const { Connection } = require('../connection');
const { connectionOptions } = require('../connection-options');
const { explainOutdated, isNotLoaded, isOutdated, isSilence } = require('../failures');
const queries = require('../queries');
const { MASK } = require('./log-position');

/** @typedef {import('./log-position').Commit} Commit @typedef {import('./log-position').SlotRows} SlotRows */
/**
 * @typedef {object} Status of a server; the numbers of commits are those of db/migrations/004_log.sql
 * @property {string} token data version that reads of this server see
 * @property {number} era
 * @property {number} seq of the last commit that they see
 * @property {number} listedSeq
 * @property {number} countedSeq
 * @property {boolean} isWritten whether the load has been written to
 * @property {boolean} recovering a replica that follows another server
 * @property {number} timeline 0 on a replica
 * @property {number} lagMs
 * @property {number} tuning number of how searches are tuned; 0: they are not
 * @property {Declared | null} declared the fields of the load
 */
/** @typedef {Record<'products' | 'styles' | 'skus', Record<string, object>>} Declared as etl/declaration.py stores it */

/*
 * All are sent without a name, which would make a prepared statement of them: a pooler's next server connection does not know it.
 */

/**
 * @param {import('pg').Client} client @param {Status | null} known
 * @returns {Promise<{ status: Status | null, recovering: boolean }>} null: nothing was loaded yet
 */
async function readStatus(client, known) {
  const { rows } = await client.query(queries.serverStatus.text, [known?.token ?? '']);
  const [{ token, era, recovering, timeline, is_written: isWritten, declared: other, ...numbers }] = rows;
  const declared = known && token === known.token ? known.declared : (other ?? null);
  const [seq, listedSeq, countedSeq] = [numbers.seq, numbers.listed_seq, numbers.counted_seq].map(Number);
  const log = { era, seq, listedSeq, countedSeq, isWritten };
  const tuning = Number(numbers.tuning);
  return {
    status: token && { token, ...log, recovering, timeline, lagMs: Number(numbers.lag_ms), tuning, declared },
    recovering,
  };
}

/**
 * @typedef {object} Log
 * @property {(after: number, upTo: number) => Promise<Commit[]>} commits a bounded piece of it, in order, between the numbers of two
 *   commits; it does not begin with the next one when that was deleted
 * @property {(status: Status) => Promise<SlotRows | null>} slots null: the server has another data version by now
 */

/** The log of a server. @param {import('pg').Client} client @returns {Log} */
const logOver = (client) => ({
  async commits(after, upTo) {
    const { rows } = await client.query(queries.commits.text, [after, upTo]);
    const ids = (/** @type {string} */ text) => JSON.parse(`[${text}]`);
    return rows.map(({ seq, content, restocked }) => ({
      seq: Number(seq),
      content: ids(content),
      restocked: ids(restocked),
    }));
  },
  async slots({ token, seq }) {
    const [row] = (await client.query(queries.slots.text, [MASK, seq])).rows;
    return row.token === token
      ? { slots: row.slots, productSeqs: row.product_seqs, stylesSeqs: row.styles_seqs }
      : null;
  },
});

/** The last report of a server is forgotten at this poll without an answer: a slow answer or a new connection takes less. */
const FORGOTTEN_POLLS = 12;
/** read_only_sql_transaction: the answer of a server in recovery to LISTEN. */
const READ_ONLY = '25006';
const LANE = 'version';

/**
 * Keeps the status of one server. NOTIFY announces a change at once; a poll finds the change whose NOTIFY was lost with a
 * connection. A pooler in transaction mode forgets LISTEN and a replica refuses it: there the poll does all.
 */
class ServerWatcher {
  /** @type {Status | null} null while the server is away, silent or empty */
  status = null;
  /** @type {Status | null} the last one: rows do not grow older while their server is silent for a moment */
  known = null;
  /** The server answers and has no catalog yet. */
  empty = false;
  /** The server answers and lacks migrations. */
  outdated = false;
  /** @type {Log | null} over the connection of the last status */
  log = null;
  /** Called at each answer and each silence. */
  changed = () => {};
  #silentPolls = 0;
  #server;
  #connection;
  #pollMs;
  #pooled;
  /** @type {import('pg').Client | undefined} the connection on which LISTEN succeeded */
  #listening;
  #silent;
  #silentMs;
  #events;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {object} options
   * @param {import('../../config/config').Config} options.config with the server's address as DATABASE_URL
   * @param {import('../dialer').Dialer} options.dialer
   * @param {import('../../core/events').Events} options.events
   * @param {() => void} options.silent called when the server does not answer within PG_QUERY_TIMEOUT_MS
   * @param {number} options.silentMs `status` is null after so long without an answer
   * @param {string} [options.server] its name in logs
   */
  constructor({ config, dialer, events, silent, silentMs, server = '' }) {
    this.#pollMs = config.VERSION_POLL_MS;
    this.#pooled = config.PG_POOLED;
    this.#silent = silent;
    this.#silentMs = silentMs;
    this.#events = events;
    this.#server = server;
    this.#connection = new Connection({
      lane: LANE,
      server,
      dialer,
      makeClient: () => this.#makeClient(config),
      events,
      greet: async (client) => {
        await this.#listen(client);
        await this.#read(client);
      },
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
    // Pipelined: a poll may come due while the one before it waits.
    const client = new Client({ ...connectionOptions(config, LANE), pipeline: true });
    client.once('end', () => this.#set(null));
    client.on('notification', () => this.#read(client));
    return client;
  }

  #poll() {
    this.#forget();
    if (this.#connection.client) this.#read(this.#connection.client);
  }

  /** Queries instead of trusting a payload: after a restore the version may also go back. @param {import('pg').Client} client */
  async #read(client) {
    const late = setTimeout(() => this.#set(null), this.#silentMs).unref();
    try {
      const { status, recovering } = await readStatus(client, this.known).finally(() => clearTimeout(late));
      this.log = logOver(client);
      this.#set(status, { empty: status === null });
      // After a promotion, which the connections of a replica survive.
      if (!recovering && this.#listening !== client) await this.#listen(client);
    } catch (cause) {
      const error = /** @type {Error} */ (cause);
      const outdated = isOutdated(error);
      this.#set(null, { empty: !outdated && isNotLoaded(error), outdated });
      if (isSilence(error)) this.#silent();
      this.#events.emit('versionUnread', LANE, outdated ? explainOutdated(error) : error, this.#server);
    }
  }

  /** @param {import('pg').Client} client */
  async #listen(client) {
    if (this.#pooled) return;
    try {
      await client.query(queries.listen.text);
      this.#listening = client;
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code !== READ_ONLY) throw error;
    }
  }

  #forget() {
    if (this.status !== null || (this.#silentPolls += 1) !== FORGOTTEN_POLLS) return;
    this.known = null;
    this.changed();
  }

  /** @param {Status | null} status @param {{ empty?: boolean, outdated?: boolean }} [more] */
  #set(status, { empty = false, outdated = false } = {}) {
    this.status = status;
    this.empty = empty;
    this.outdated = outdated;
    if (status) {
      this.known = status;
      this.#silentPolls = 0;
    }
    this.changed();
  }
}

exports.ServerWatcher = ServerWatcher;
