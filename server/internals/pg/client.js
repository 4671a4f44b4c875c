'use strict';

const pg = require('pg');
const { Parser } = require('pg-protocol/dist/parser');

/**
 * pg's Client, but an answer that cannot be read ends its connection like a broken socket. pg's parser throws inside a handler of
 * the socket's data, for example at a request to authenticate by GSS: the uncaught error would end the worker.
 *
 * `connection`, its `stream` and `attachListeners()`, and `connectionParameters` are not documented, nor is the path of Parser.
 * Checked on pg 8.11 to 8.23.1 and pg-protocol 1.16.1. Byte test: tests/server/store/client.test.js.
 */
class Client extends pg.Client {
  #setsSession;
  #serverVersion = 0;

  /**
   * @param {import('pg').ClientConfig} config
   * @param {{ parse: (chunk: Buffer, emit: (message: any) => void) => void }} [parser]
   */
  constructor(config, parser = new Parser()) {
    super(config);
    const { connection, connectionParameters: parameters } = /** @type {any} */ (this);
    // pg takes the options of the URL instead of these. Ours follow, and the last one counts.
    if (config.options && parameters.options !== config.options) parameters.options += ` ${config.options}`;
    this.#setsSession = config.options !== undefined;
    connection.on('parameterStatus', (/** @type {any} */ { parameterName, parameterValue }) => {
      if (parameterName === 'server_version') this.#serverVersion = parseInt(parameterValue, 10);
    });
    // pg has no option for the parser; this method makes it.
    connection.attachListeners = (/** @type {import('node:stream').Duplex} */ stream) => {
      const emit = (/** @type {any} */ message) =>
        connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
      stream.on('data', (chunk) => {
        try {
          parser.parse(chunk, emit);
        } catch (error) {
          stream.destroy(unreadable(/** @type {Error} */ (error)));
        }
      });
    };
  }

  /** @override @returns {Promise<any>} */
  async connect() {
    await super.connect();
    // Not sent with the others: an older server refuses a connection with a setting that it does not know.
    if (this.#setsSession && this.#serverVersion >= 17) await this.query('SET transaction_timeout = 0');
  }
}

/** @param {Error} cause @returns {Error} with a code as of a socket, so that store/failures.js counts it as a failure of the connection */
function unreadable(cause) {
  const text = `PostgreSQL's answer cannot be read: ${cause.message}. GSS and SSPI in pg_hba.conf are not supported.`;
  return Object.assign(new Error(text, { cause }), { code: 'EPROTO' });
}

/** Ends a connection at once; what is in flight on it fails. @param {import('pg').Client} client */
const cut = (client) => /** @type {any} */ (client).connection.stream.destroy();

exports.Client = Client;
exports.cut = cut;
