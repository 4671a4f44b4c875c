'use strict';

const pg = require('pg');
const { Parser } = require('pg-protocol/dist/parser');

/**
 * pg's Client, but an answer that cannot be read ends its connection like a broken socket. pg's parser throws where it
 * handles the socket's data and nobody catches it, for one at a request to authenticate by GSS: the worker would end.
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
    // pg takes those of the URL instead: ours follow, and the last one counts.
    if (config.options && parameters.options !== config.options) parameters.options += ` ${config.options}`;
    this.#setsSession = config.options !== undefined;
    connection.on('parameterStatus', (/** @type {any} */ { parameterName, parameterValue }) => {
      if (parameterName === 'server_version') this.#serverVersion = parseInt(parameterValue, 10);
    });
    // pg has no option for the parser; this is the one method that makes it, the same in 8.11 to 8.23.
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
    // Not sent with the others: an older server refuses a connection that asks for what it does not know.
    if (this.#setsSession && this.#serverVersion >= 17) await this.query('SET transaction_timeout = 0');
  }
}

/** @param {Error} cause @returns {Error} with a code as of a socket, so that failures.js takes it for one of the connection */
function unreadable(cause) {
  const text = `PostgreSQL's answer cannot be read: ${cause.message}. GSS and SSPI in pg_hba.conf are not supported.`;
  return Object.assign(new Error(text, { cause }), { code: 'EPROTO' });
}

exports.Client = Client;
