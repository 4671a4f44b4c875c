'use strict';

const { Query } = require('pg');

const { bindAndRun } = require('./bind-message');

/**
 * A prepared statement that answers with at most one row of raw fields.
 * @typedef {{ name: string, text: string, isBinary?: boolean }} Statement isBinary: fields are in PostgreSQL's binary format
 * @typedef {(Buffer | null)[]} Row fields in the order of the SELECT list
 */

/**
 * pg's Query without the result object and its row description: one round of four messages, no names.
 *
 * The methods that a client calls on a query, `parsedStatements` and `submittedNamedStatements` are not documented.
 * Checked on pg 8.23.1. Byte tests: tests/server/store/store.test.js, tests/server/contract-bytes.test.js.
 */
class RowQuery {
  /** @type {Row | null} */
  row = null;

  /**
   * A comment would make another statement of it, so with one it is sent without a name and parsed again.
   * @param {Statement} statement
   * @param {(number | string)[]} values
   * @param {string} comment
   * @param {(error: Error | null, row?: Row | null) => void} done called once
   */
  constructor({ name, text, isBinary }, values, comment, done) {
    this.isBinary = isBinary;
    this.name = comment ? '' : name;
    this.text = comment ? `${text} ${comment}` : text;
    this.values = values;
    this.callback = done;
  }

  handleDataRow(/** @type {{ fields: Row }} */ message) {
    this.row = message.fields;
  }

  handleCommandComplete() {}

  handleReadyForQuery() {
    this.callback(null, this.row);
  }

  /** pg would send a query with neither a name nor values as a simple one, whose reply describes columns; nothing here reads them. */
  requiresPreparation() {
    return true;
  }

  /** As pg's own, without Describe: the names and types of the columns are known. */
  prepare(/** @type {any} */ connection) {
    const { text, values } = this;
    const name = connection.unprepared ? '' : this.name;
    if (!name || !(/** @type {any} */ (this).hasBeenParsed(connection))) {
      connection.parse({ name, text });
      if (name) connection.submittedNamedStatements[name] = text;
    }
    connection.stream.write(bindAndRun(name, values, this.isBinary), 'latin1');
  }
}

/*
 * A pipelined client takes no query of another class. `extends` would run pg's constructor, which copies the
 * configuration and makes an emitter and a result for each query.
 */
Object.setPrototypeOf(RowQuery.prototype, Query.prototype);

/** @type {WeakSet<import('node:stream').Writable>} streams whose queries of this turn are held back */
const gathering = new WeakSet();

/**
 * Holds back what is written to a connection until the event loop has handled all that it has read, so
 * that the queries of all requests of one turn leave in one write: a write costs more than a query.
 * @param {import('node:stream').Writable} stream
 */
function gather(stream) {
  if (gathering.has(stream)) return;
  gathering.add(stream);
  stream.cork();
  setImmediate(() => {
    gathering.delete(stream);
    stream.uncork();
  });
}

/**
 * @param {import('pg').Client} client with BytesParser
 * @param {Statement} statement
 * @param {(number | string)[]} values
 * @param {string} [comment]
 * @returns {Promise<Row | null>} null when there is no row
 */
function oneRow(client, statement, values, comment = '') {
  gather(/** @type {any} */ (client).connection.stream);
  return new Promise((resolve, reject) => {
    client.query(
      /** @type {any} */ (
        new RowQuery(statement, values, comment, (error, row) => (error ? reject(error) : resolve(row ?? null)))
      ),
    );
  });
}

/** @type {WeakMap<import('pg').Client, Record<string, Statement>>} statements that went stale on a connection, by name, as they are prepared since */
const renewed = new WeakMap();

/** @param {import('pg').Client} client @param {Statement} statement @returns {Statement} as it must be sent there */
const forClient = (client, statement) => renewed.get(client)?.[statement.name] ?? statement;

/**
 * Lets a stale statement be prepared under another name. It is not closed and prepared again: queries already sent name it.
 * @param {import('pg').Client} client
 * @param {Statement} statement
 * @param {Statement} sent the stale one; of many that were sent, the first to fail renews it
 */
function renew(client, statement, sent) {
  if (forClient(client, statement) !== sent) return;
  renewed.set(client, { ...renewed.get(client), [statement.name]: { ...sent, name: `${sent.name}+` } });
}

/** @param {import('pg').Client} client @param {Statement} statement @returns {boolean} whether the server has confirmed it */
const isPrepared = (client, { name }) => name in /** @type {any} */ (client).connection.parsedStatements;

exports.forClient = forClient;
exports.isPrepared = isPrepared;
exports.oneRow = oneRow;
exports.renew = renew;
