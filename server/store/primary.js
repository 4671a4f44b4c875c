'use strict';

const { nameOf } = require('../core/dsn');
const { cut } = require('../internals/pg/client');

const IN_RECOVERY = 'SELECT pg_is_in_recovery() AS recovering';

/**
 * Finds the server that takes writes, as libpq does for target_session_attrs=read-write: the first one that does, from the last that did.
 * One alone is not asked.
 */
class Primary {
  #urls;
  #makeClient;
  #moved;

  /**
   * @param {string[]} urls of one server each
   * @param {(url: string) => import('pg').Client} makeClient with timeouts to connect and to query
   * @param {() => void} [moved] called when it is another than the last
   */
  constructor(urls, makeClient, moved = () => {}) {
    this.#urls = urls;
    this.#makeClient = makeClient;
    this.#moved = moved;
  }

  /** @returns {Promise<string>} its URL @throws {Error} what each server answered, with the code of the last that has one */
  async find() {
    const refusals = /** @type {(Error & { code?: string })[]} */ ([]);
    for (const url of this.#urls) {
      const refusal = this.#urls.length > 1 && (await this.#refusalOf(url));
      if (!refusal) return this.#take(url);
      refusals.push(refusal);
    }
    const text = `No database server takes writes: ${refusals.map(({ message }) => message).join('; ')}`;
    throw Object.assign(new Error(text), { code: refusals.findLast(({ code }) => code)?.code });
  }

  /** @param {string} url */
  #take(url) {
    if (url === this.#urls[0]) return url;
    this.#urls = [url, ...this.#urls.filter((each) => each !== url)];
    this.#moved();
    return url;
  }

  /** @param {string} url @returns {Promise<(Error & { code?: string }) | null>} null: it takes writes */
  async #refusalOf(url) {
    const client = this.#makeClient(url);
    client.on('error', () => {}); // a server that goes away also rejects the query in flight
    try {
      await client.connect();
      const [{ recovering }] = (await client.query(IN_RECOVERY)).rows;
      return recovering ? new Error(`${nameOf(url)} is a replica`) : null;
    } catch (cause) {
      const { message, code } = /** @type {Error & { code?: string }} */ (cause);
      return Object.assign(new Error(`${nameOf(url)}: ${message}`), { code });
    } finally {
      cut(client); // a silent server says no goodbye
    }
  }
}

exports.Primary = Primary;
