'use strict';

const { Webhook } = require('standardwebhooks');

const { cursorText } = require('../../core/commit-cursor');
const { Problem } = require('../../core/errors');
const { queryOn } = require('../database/transaction');
const statements = require('../database/statements');
const { batchOf } = require('./batch');
const { changesText } = require('../feed/piece');
const { Poster } = require('./post');

/** @typedef {import('./batch').Hook} Hook @typedef {import('./batch').Batch} Batch */
/**
 * @typedef {object} Parts
 * @property {Pick<import('../database/writer-database').WriterDatabase, 'on'>} database
 * @property {Pick<import('../feed/feed').Feed, 'read'>} feed
 * @property {import('../../core/events').Events} events
 */

/** Sends changes to hooks. A statement changes a row only while its cursor is the one of the request, so another sender's is not undone. */
class Delivery {
  #database;
  #feed;
  #events;

  /** @param {Parts} parts */
  constructor({ database, feed, events }) {
    this.#database = database;
    this.#feed = feed;
    this.#events = events;
  }

  /**
   * Sends what a hook lacks, up to the last commit that its row names, unless a request fails.
   * @param {Hook} hook @param {AbortSignal} signal of the end of the leader
   */
  async run(hook, signal) {
    const head = { era: hook.era, seq: Number(hook.seq) };
    const poster = new Poster(hook);
    try {
      /** @type {Hook | null} */
      let now = hook;
      while (now && now.cursor !== cursorText(head) && !signal.aborted)
        now = await this.#step(now, head, poster, signal);
    } finally {
      poster.close();
    }
  }

  /** A request without changes. @param {Hook} hook that asks for it @param {AbortSignal} signal */
  async test(hook, signal) {
    const { id, cursor, era, seq, test } = hook;
    const poster = new Poster(hook);
    try {
      const body = changesText([], cursor, cursorText({ era, seq }));
      const headers = await this.#headersOf(id, `test-${test}`, body);
      const { text } = await poster.post(headers, body, signal);
      if (!signal.aborted) await this.#query(statements.hookTested, [id, test, text]);
    } finally {
      poster.close();
    }
  }

  /**
   * @param {Hook} hook @param {import('../feed/log-reader').Head} head @param {Poster} poster @param {AbortSignal} signal
   * @returns {Promise<Hook | null>} as it is after that; null: nothing more goes to it now
   */
  async #step(hook, head, poster, signal) {
    const batch = await batchOf(hook, head, this.#feed).catch((error) => this.#expired(hook, error));
    if (!batch) return null;
    if (batch.id === null) return this.#move(hook, batch, null);
    const [begun] = await this.#query(statements.hookBegin, [hook.id, hook.cursor, batch.bound]);
    if (!begun) return null;
    const sentMs = performance.now();
    const body = batch.body(begun.at);
    const answer = await poster.post(await this.#headersOf(hook.id, batch.id, body), body, signal);
    if (!answer.isReceived && signal.aborted) return null; // it was cut here
    this.#events.emit('hookAnswered', answer.isReceived ? 'received' : 'failed', performance.now() - sentMs);
    if (answer.isReceived) return this.#move({ ...hook, bound: batch.bound }, batch, answer.text);
    const values = [hook.id, hook.cursor, batch.bound, answer.text];
    this.#notePause(hook.id, await this.#query(statements.hookFailed, values), answer.text);
    return null;
  }

  /** @param {Hook} hook @param {Batch} batch @param {string | null} answer null: nothing was sent @returns {Promise<Hook | null>} */
  async #move(hook, { next }, answer) {
    const moved = await this.#query(statements.hookReceived, [hook.id, hook.cursor, hook.bound, next, answer]);
    return moved.length > 0 ? { ...hook, cursor: next, bound: null } : null;
  }

  /** @param {Hook} hook @param {unknown} error of reading the log @returns {Promise<null>} */
  async #expired({ id, cursor }, error) {
    if (!(error instanceof Problem) || error.status !== 410) throw error;
    this.#notePause(id, await this.#query(statements.hookExpired, [id, cursor]), error.message);
    return null;
  }

  /** @param {number} id @param {{ paused: string | null }[]} rows @param {string} reason */
  #notePause(id, [row], reason) {
    if (row?.paused) this.#events.emit('hookPaused', id, row.paused, reason);
  }

  /** @param {number} id of the hook @param {string} messageId @param {string} body @returns {Promise<Record<string, string>>} */
  async #headersOf(id, messageId, body) {
    const now = new Date();
    const rows = await this.#query(statements.hookSecrets, [id]);
    return {
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': 'product-catalog',
      'webhook-id': messageId,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': rows.map(({ secret }) => new Webhook(secret).sign(messageId, now, body)).join(' '),
    };
  }

  /** @param {import('../database/statements').Statement} statement @param {unknown[]} values @returns {Promise<any[]>} rows */
  #query(statement, values) {
    return this.#database.on('hooks', (client) => queryOn(client)(statement, values));
  }
}

exports.Delivery = Delivery;
