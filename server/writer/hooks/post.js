'use strict';

const http = require('node:http');
const https = require('node:https');

const { privateIn, publicLookup } = require('./addresses');

/** For a receiver to begin its answer. */
const ANSWER_MS = 10_000;
/** A longer answer is cut: its status alone counts. */
const MAX_ANSWER_BYTES = 65_536;
/** @type {Record<string, typeof http | typeof https>} */
const BY_PROTOCOL = { 'http:': http, 'https:': https };

/** @typedef {{ isReceived: boolean, text: string }} Answer text: for people */

/** Sends requests to one hook, over one connection while it has many to send. */
class Poster {
  #url;
  #isPrivateAllowed;
  #agent;
  #ms;

  /** @param {{ url: string, allow_private: boolean }} hook @param {number} [ms] */
  constructor({ url, allow_private: isPrivateAllowed }, ms = ANSWER_MS) {
    this.#url = new URL(url);
    this.#isPrivateAllowed = isPrivateAllowed;
    this.#agent = new BY_PROTOCOL[this.#url.protocol].Agent({ keepAlive: true, maxSockets: 1 });
    this.#ms = ms;
  }

  close() {
    this.#agent.destroy();
  }

  /**
   * Follows no redirect: only the address that an operator gave gets the catalog's changes.
   * @param {Record<string, string>} headers @param {string} body @param {AbortSignal} signal ends it
   * @returns {Promise<Answer>} never rejects
   */
  async post(headers, body, signal) {
    const refusal = this.#isPrivateAllowed ? null : privateIn(this.#url);
    if (refusal) return { isReceived: false, text: refusal };
    const late = AbortSignal.timeout(this.#ms);
    try {
      const status = await this.#send(headers, body, AbortSignal.any([signal, late]));
      const hint = status >= 300 && status < 400 ? ', and redirects are not followed' : '';
      return { isReceived: status >= 200 && status < 300, text: `${status}${hint}` };
    } catch (error) {
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
      return { isReceived: false, text: late.aborted ? `no answer in ${this.#ms / 1000} s` : message || String(code) };
    }
  }

  /** @param {Record<string, string>} headers @param {string} body @param {AbortSignal} signal @returns {Promise<number>} the status */
  #send(headers, body, signal) {
    const { promise, resolve, reject } = Promise.withResolvers();
    const lookup = this.#isPrivateAllowed ? undefined : publicLookup;
    const length = { 'Content-Length': String(Buffer.byteLength(body)) };
    const options = { method: 'POST', agent: this.#agent, headers: { ...headers, ...length }, lookup, signal };
    const req = BY_PROTOCOL[this.#url.protocol].request(this.#url, options);
    req.once('error', reject).once('response', (res) => {
      let bytes = 0;
      res.on('data', (chunk) => {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) res.destroy();
      });
      res.on('error', () => {}); // its status has come
      res.once('close', () => resolve(Number(res.statusCode)));
    });
    req.end(body);
    return promise;
  }
}

exports.Poster = Poster;
