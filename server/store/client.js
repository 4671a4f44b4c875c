'use strict';

const pg = require('pg');
const { Parser } = require('pg-protocol/dist/parser');

/**
 * pg's Client, but an answer that cannot be read ends its connection like a broken socket. pg's parser throws where it
 * handles the socket's data and nobody catches it, for one at a request to authenticate by GSS: the worker would end.
 */
class Client extends pg.Client {
  /**
   * @param {import('pg').ClientConfig} config
   * @param {{ parse: (chunk: Buffer, emit: (message: any) => void) => void }} [parser]
   */
  constructor(config, parser = new Parser()) {
    super(config);
    // pg has no option for the parser; this is the one method that makes it, the same in 8.11 to 8.23.
    const connection = /** @type {any} */ (this).connection;
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
}

/** @param {Error} cause @returns {Error} with a code as of a socket, so that failures.js takes it for one of the connection */
function unreadable(cause) {
  const text = `PostgreSQL's answer cannot be read: ${cause.message}. GSS and SSPI in pg_hba.conf are not supported.`;
  return Object.assign(new Error(text, { cause }), { code: 'EPROTO' });
}

exports.Client = Client;
