'use strict';

const { createHash, timingSafeEqual } = require('node:crypto');
const { setTimeout: pause } = require('node:timers/promises');

const { Problem } = require('../../core/errors');
const { WRITE_PROBLEMS } = require('../errors');
const statements = require('../database/statements');

/** @typedef {'content' | 'stock' | 'history' | 'changes'} Scope */
/** @typedef {{ id: string, name: string, secret_hash: Buffer, scopes: Scope[] }} ApiKey */

/** A revoked key is refused after this at the latest. */
const KEPT_MS = 5000;
/** An unknown key may have just been made, so the list is read again, for all wrong guesses of this time together. */
const GUESS_MS = 200;
/** The first read may have begun before the key was made. */
const READS = 2;
/** A scheme has no case, and one space or more behind it (RFC 9110 §11.4). */
const BEARER = /^[Bb][Ee][Aa][Rr][Ee][Rr] +ck_([0-9a-f]{8,32})_([0-9A-Za-z_-]{20,100})$/;
/** So that a wrong id takes as long as a wrong secret. */
const NO_HASH = Buffer.alloc(32);

/** The API keys. There are few, so all are read at once; unknown ones cost no query. */
class ApiKeys {
  #database;
  /** @type {Map<string, ApiKey>} */
  #known = new Map();
  #readMs = -Infinity;
  /** @type {Promise<void> | null} */
  #reading = null;

  /** @param {Pick<import('../database/writer-database').WriterDatabase, 'read'>} database */
  constructor(database) {
    this.#database = database;
  }

  /**
   * @param {import('node:http').IncomingMessage} req @param {Scope} scope @param {number} [keptMs] after which a revoked key is refused
   * @returns {Promise<ApiKey>}
   * @throws {Problem} 401, 403, or 503 when the keys cannot be read
   */
  async require(req, scope, keptMs = KEPT_MS) {
    const [, id = '', secret = ''] = BEARER.exec(req.headers.authorization ?? '') ?? [];
    if (!id) throw unauthorized('Send a key: Authorization: Bearer ck_ID_SECRET. npm run key makes one.');
    if (this.#ageMs > keptMs) await this.#read();
    for (let read = 0; read < READS && !this.#known.has(id); read += 1) await this.#read();
    const key = this.#known.get(id);
    const isRight = timingSafeEqual(createHash('sha256').update(secret).digest(), key?.secret_hash ?? NO_HASH);
    if (!key || !isRight) throw unauthorized('The key is unknown or revoked.');
    if (!key.scopes.includes(scope))
      throw new Problem(WRITE_PROBLEMS.forbidden, `The key ${key.name} lacks the scope ${scope}.`);
    return key;
  }

  get #ageMs() {
    return performance.now() - this.#readMs;
  }

  /** Requests that come meanwhile wait for the same read. */
  #read() {
    this.#reading ??= this.#readSoon().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #readSoon() {
    if (this.#ageMs < GUESS_MS) await pause(GUESS_MS - this.#ageMs);
    const rows = await this.#database.read(statements.apiKeys);
    this.#known = new Map(rows.map((row) => [row.id, row]));
    this.#readMs = performance.now();
  }
}

/** @param {string} detail */
const unauthorized = (detail) =>
  new Problem(WRITE_PROBLEMS.unauthorized, detail, { headers: { 'WWW-Authenticate': 'Bearer' } });

exports.ApiKeys = ApiKeys;
